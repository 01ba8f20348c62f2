// Guarantees of preparing a stage: the user's repository stays as it is, no agent starts on a ground that is not proved, and what is new is said.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepare } from '../../activities/prepare.js';
import type { PrepareInput } from '../../machines/contract/activities.js';
import type { Config } from '../../machines/contract/config.js';
import type { Stage } from '../../machines/contract/stage.js';
import { snapshotRepo } from '../helpers/sample.js';
import { put, shellGit } from './git/scene.js';
import { actOf, command, configOf, counter, makeRun, project, type Run, redFiles, unit } from './oracle/run.js';

function prepareFor(stage: Stage, { host, run, runKey, base }: Run, change: Partial<PrepareInput> = {}) {
  const at = { stage, step: 1, attempt: 1, tries: 0 };
  return prepare(host, { run, runKey, at, tip: base, entry: 'work', proveGround: true, ...change }, actOf());
}
const withChecks = (checks: Config['checks'], files?: Record<string, string>): Promise<Run> =>
  makeRun({ config: configOf({ checks }), ...(files ? { files } : {}) });

test('the tree stands at the tip on the run’s branch, setup ran in it, the ground is proved, and the user’s repository is as before', async () => {
  const runs = counter();
  const run = await makeRun({ config: configOf({ setup: command(`${runs.run}; echo installed > installed`) }) });
  const before = snapshotRepo(run.run.repo);
  const { tree, ground, notices } = await prepareFor('tdd', run);
  expect(ground).toMatchObject({ kind: 'proved', checks: [{ name: 'unit', kind: 'passed', tests: 1 }] });
  expect([shellGit(tree, ['branch', '--show-current']), shellGit(tree, ['rev-parse', 'HEAD']), readFileSync(join(tree, 'installed'), 'utf8')]).toEqual([
    'pdlc/F1',
    run.base,
    'installed\n',
  ]);
  expect([notices, runs.count(), snapshotRepo(run.run.repo)]).toEqual([[], 2, before]);
});

test('a stage that is prepared again keeps what is in the tree, and proves nothing when it need not', async () => {
  const run = await makeRun();
  const { tree } = await prepareFor('tdd', run);
  put(tree, { 'src/work.sh': 'mine' });
  expect(await prepareFor('tdd', run, { proveGround: false })).toEqual({ tree, ground: { kind: 'skipped' }, notices: [] });
  expect(existsSync(join(tree, 'src/work.sh'))).toBe(true);
});

test('a branch that is not where this run would publish to is refused before anything is made ready', async () => {
  const run = await makeRun();
  shellGit(run.run.repo, ['update-ref', 'refs/heads/pdlc/F1', run.base]);
  await expect(prepareFor('tdd', run)).rejects.toMatchObject({
    kind: 'branch_moved',
    message: expect.stringContaining('git update-ref -d refs/heads/pdlc/F1'),
  });
  expect(existsSync(run.paths.tree)).toBe(false);
  shellGit(run.run.repo, ['update-ref', '-d', 'refs/heads/pdlc/F1']);
  expect((await prepareFor('tdd', run)).ground.kind).toBe('proved');
});

describe('a ground that is not fit to start on', () => {
  test.each<[string, Stage, Config['checks'], string]>([
    [
      'a red base before tdd',
      'tdd',
      { unit: command('echo boom; exit 1') },
      'baseline_red: unit failed (exit 1) on the untouched base; expected it to pass\nboom',
    ],
    ['a check that cannot run', 'tdd', { unit: command('no-such-runner') }, 'check_not_run: unit could not run (exit 127)'],
    ['a check that is killed', 'tdd', { unit: command('kill -KILL $$') }, 'baseline_red: unit was ended by signal 9'],
    ['another red check', 'tdd', { unit, lint: command('exit 2') }, 'baseline_red: lint failed (exit 2)'],
    ['tests that cannot be loaded', 'tdd', { unit: command('echo "collected 0 items / 1 error"; exit 2') }, 'baseline_red: unit ran no tests (exit 2)'],
    ['a green unit check before implement', 'implement', { unit }, 'already_green: unit passed on the untouched base'],
    [
      'a unit check without tests before implement',
      'implement',
      { unit: command('echo "no tests ran in 0.01s"; exit 5') },
      'baseline_red: unit ran no tests (exit 5)',
    ],
    ['a red base before review', 'review', { unit: command('exit 1') }, 'baseline_red: unit failed (exit 1)'],
    ['no test at all before review', 'review', { unit: command('echo "no tests ran in 0.01s"; exit 5') }, 'baseline_red: unit ran no tests (exit 5)'],
  ])('%s', async (...[, stage, checks, reason]) => {
    const { ground } = await prepareFor(stage, await withChecks(checks));
    expect(ground).toMatchObject({ kind: 'failed', fault: reason.split(':')[0], reason: expect.stringContaining(reason) });
  });

  test('a setup that fails, with its output', async () => {
    const run = await makeRun({ config: configOf({ setup: command('echo no network >&2; exit 1') }) });
    const { ground } = await prepareFor('tdd', run);
    expect(ground).toMatchObject({
      kind: 'failed',
      fault: 'setup_failed',
      reason: expect.stringMatching(/setup_failed: setup \(.*\) exited with 1\nno network/s),
    });
  });

  test('an agent or evaluator that is not there, before anything runs', async () => {
    const runs = counter();
    const run = await withChecks({ unit: command(runs.run) });
    const missing = { command: ['no-such-agent'], env: {}, pass: [] };
    const { stages } = run.run.config;
    stages.tdd = { ...stages.tdd, agent: missing };
    stages.review = { ...stages.review, evaluator: missing };
    for (const stage of ['tdd', 'review'] as const) expect((await prepareFor(stage, run)).ground).toMatchObject({ kind: 'failed', fault: 'agent_missing' });
    expect(runs.count()).toBe(0);
  });
});

describe('what the stage at hand expects', () => {
  test('red tests before implement, where coverage and e2e are not asked', async () => {
    const run = await withChecks({ unit, coverage: command('exit 1'), e2e: command('exit 1') }, { ...project, ...redFiles });
    expect((await prepareFor('implement', run)).ground.kind).toBe('proved');
  });

  test('green is no fault when a person’s work is to be judged', async () => {
    expect((await prepareFor('implement', await withChecks({ unit }), { entry: 'judge' })).ground.kind).toBe('proved');
  });

  test('a project may start without a test, which is said, as is a runner that tells no number', async () => {
    const empty = await prepareFor('tdd', await withChecks({ unit: command('echo "no tests ran in 0.01s"; exit 5') }));
    expect([empty.ground.kind, empty.notices]).toEqual(['proved', ['unit found no tests on the base: nothing there can show that something broke']]);
    const silent = await prepareFor('tdd', await withChecks({ unit: command('true') }));
    expect(silent.notices).toEqual(['unit reports no number of tests: red and green are known by exit code alone']);
  });
});
