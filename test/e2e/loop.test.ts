// The main job on a real server with real git and real processes, seen from outside.
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { branchState, commit, git, openSample, stateText, write } from './repository.js';
import { json, openRig } from './support.js';

const rig = openRig();
const agent = agentFixture('good');
const done = { code: 0, last: '<<<PDLC done stage=review>>>' };
const wholeRun = ['worker tdd', 'worker implement', 'evaluator review'];

test.concurrent('a good agent takes a feature to review_done in three steps, and the branch holds the verified commits', async () => {
  const sample = openSample({ agent, config: { checks: { unit: 'node --test' } } });
  const before = snapshotRepo(sample.dir);
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-steps', '4');
  expect(ended).toMatchObject({ ...done, stderr: expect.stringContaining('Whether to merge and ship it is for a person to decide.') });
  expect(sample.starts()).toEqual(wholeRun);
  expect(git(sample.dir, 'log', '--format=%s', `${sample.base}..pdlc/F1`).split('\n')).toHaveLength(5);
  expect(snapshotRepo(sample.dir)).toEqual(before);
  expect(branchState(sample.dir)).toMatchObject({
    current_stage: 'review',
    next_step: 'pdlc-ship',
    last_phase_result: { stage: 'review', ok: true, blocked_reason: null },
  });
  expect(await rig.pdlc(sample.dir, 'loop-next', 'F1')).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
  // The same command after the end says so at once and starts nothing.
  const again = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json');
  expect(json(again)).toMatchObject({ state: 'review_done', sentinel: '<<<PDLC done stage=review>>>', exitCode: 0, stepsUsed: 3 });
  expect(sample.starts()).toEqual(wholeRun);
});

test.concurrent('--fresh begins at HEAD again and keeps the old tip under a name that is printed', async () => {
  const sample = openSample({ agent, at: 'review' });
  await rig.pdlc(sample.dir, 'loop-run', 'F1');
  const old = git(sample.dir, 'rev-parse', 'pdlc/F1');
  const head = commit(sample.dir, { 'src/more.js': 'export const more = 1;\n' });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--fresh');
  expect(ended).toMatchObject(done);
  expect(git(sample.dir, 'rev-parse', `refs/pdlc/saved/F1/${old.slice(0, 10)}`)).toBe(old);
  expect(ended.stderr).toContain(`its old tip is kept as refs/pdlc/saved/F1/${old.slice(0, 10)}`);
  expect(git(sample.dir, 'merge-base', 'main', 'pdlc/F1')).toBe(head);
});

test.concurrent('--honor runs without checks, ends unverified, and never prints that it is done', async () => {
  const sample = openSample({ agent, config: { checks: {} }, at: 'implement' });
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(64);
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--honor');
  expect(ended).toMatchObject({ code: 7, last: '<<<PDLC blocked reason="done_unverified">>>' });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain('<<<PDLC done');
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'done_unverified', exitCode: 7, honor: true });
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 7, last: '<<<PDLC blocked reason="done_unverified">>>' });
  expect(await rig.pdlc(sample.dir, 'resume', 'F1')).toMatchObject({ code: 7, last: '<<<PDLC blocked reason="done_unverified">>>' });
});

test.concurrent('a project that names no check is refused with the ways to name one, and --verify is one', async () => {
  const sample = openSample({ agent, config: { checks: {} }, at: 'implement' });
  const { code, stderr } = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(code).toBe(64);
  for (const way of ['checks: { unit: COMMAND }', 'pdlc init', '--verify COMMAND', '--honor']) expect(stderr).toContain(way);
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--verify', 'node --test')).toMatchObject(done);
  expect((await rig.status(sample.dir)).steps[0]?.checks).toEqual({ unit: 'unit passed' });
});

test.concurrent('a project with only test-commands.yml runs with its checks and the agent that the command names', async () => {
  const sample = openSample({ agent });
  git(sample.dir, 'rm', '-q', 'pdlc.yaml');
  commit(sample.dir, { 'docs/00_standards/test-commands.yml': 'unit: node --test\nlint: ""\n' });
  const refused = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('give --agent COMMAND') });
  const words = (argv: string[]): string => argv.map((word) => `'${word}'`).join(' ');
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--agent', words(agent), '--evaluator', words(agentFixture('approve')))).toMatchObject(done);
});

test.concurrent('two features of one repository run side by side', async () => {
  const sample = openSample({ agent, at: 'implement' });
  write(sample.dir, { 'docs/.pdlc-state/F2.json': stateText(sample, { feature_id: 'F2' }) });
  const before = snapshotRepo(sample.dir);
  const both = await Promise.all(['F1', 'F2'].map((id) => rig.pdlc(sample.dir, 'loop-run', id)));
  expect(both).toMatchObject([done, done]);
  expect(sample.starts().sort()).toEqual(['evaluator review', 'evaluator review', 'worker implement', 'worker implement']);
  expect(git(sample.dir, 'merge-base', 'pdlc/F1', 'pdlc/F2')).toBe(sample.base);
  expect(snapshotRepo(sample.dir)).toEqual(before);
});

test.concurrent('of two commands at the same moment the second attaches and says so; both end alike and each agent starts once', async () => {
  const sample = openSample({ agent, at: 'implement' });
  const both = await Promise.all([rig.pdlc(sample.dir, 'loop-run', 'F1'), rig.pdlc(sample.dir, 'loop-run', 'F1')]);
  expect(both).toMatchObject([done, done]);
  expect(both.filter(({ stderr }) => stderr.includes('attached to the run of this feature that is already open'))).toHaveLength(1);
  expect(sample.starts()).toEqual(['worker implement', 'evaluator review']);
});
