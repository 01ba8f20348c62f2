// What scripts read: one JSON object with the same keys in every state, the runbook, and nothing left behind.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { openSample, stateText, write } from './repository.js';
import { command, json, openRig, type RunObject, until } from './support.js';

const rig = openRig();

const keys = [
  ...['schema', 'featureId', 'workflowId', 'state', 'stage', 'reason', 'sentinel', 'exitCode', 'stepsUsed', 'maxSteps', 'steps', 'usage', 'limits'],
  ...['repo', 'branch', 'base', 'head', 'uiUrl', 'next'],
];
const stepKeys = ['step', 'stage', 'ok', 'attempts', 'checks', 'reason', 'commit', 'durationMs', 'usage'];

test('the object of a run is the same from its start over its waits to its end, and after the stack was stopped', async () => {
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  expect(keysMissing(await rig.status(sample.dir))).toEqual([]);
  const call = rig.start(sample.dir, 'loop-run', 'F1', '--max-steps', '1', '--json');
  await until(() => sample.starts().length === 1);
  const running = await rig.status(sample.dir);
  sample.open();
  const ended = await call.ended;
  const waiting = await rig.status(sample.dir);
  expect(json(ended)).toEqual(waiting);
  await rig.pdlc(sample.dir, 'down');
  expect(await rig.status(sample.dir)).toEqual(waiting);
  await rig.pdlc(sample.dir, 'extend', 'F1', '--steps', '+1');
  const final = json(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json'));
  for (const object of [running, waiting, final]) expect(keysMissing(object)).toEqual([]);
  expect([running, waiting, final]).toMatchObject([
    { schema: 'pdlc.run/1', featureId: 'F1', state: 'working', exitCode: 130, sentinel: null, stepsUsed: 1, maxSteps: 1 },
    {
      state: 'capped',
      exitCode: 3,
      sentinel: '<<<PDLC blocked reason="capped: all 1 steps are used">>>',
      usage: { usd: 0.01, tokens: { in: 1_000, out: 100 } },
    },
    { state: 'review_done', exitCode: 0, sentinel: '<<<PDLC done stage=review>>>', reason: null, next: ['git merge pdlc/F1'] },
  ]);
  const { uiUrl: _, ...read } = await rig.status(sample.dir);
  expect(final).toMatchObject(read);
});

test('stdout under --json is exactly one line, whatever the end', async () => {
  const sample = openSample({ agent: agentFixture('idle') });
  const stuck = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json');
  expect(stuck).toMatchObject({ code: 5, stdout: expect.stringMatching(/^\{.*\}\n$/) });
  const aborted = await rig.pdlc(sample.dir, 'abort', 'F1', '--json');
  expect({ stdout: aborted.stdout, keys: keysMissing(json(aborted)) }).toEqual({ stdout: expect.stringMatching(/^\{.*\}\n$/), keys: [] });
  expect((await rig.pdlc(sample.dir, 'loop-next', 'F1', '--json')).stdout).toMatch(/^\{"featureId":"F1","next":"blocked",.*\}\n$/);
});

test('the runbook is a sound shell script that takes features to done, one after another', async () => {
  const sample = openSample({ agent: agentFixture('good'), at: 'review' });
  write(sample.dir, { 'docs/.pdlc-state/F2.json': stateText(sample, { feature_id: 'F2' }) });
  const script = join(sample.around, 'night.sh');
  writeFileSync(script, (await rig.pdlc(sample.dir, 'runbook')).stdout);
  execFileSync('sh', ['-n', script]);
  if (spawnSync('shellcheck', ['--version']).status === 0) execFileSync('shellcheck', [script]);
  const pdlc = join(sample.around, 'pdlc');
  writeFileSync(pdlc, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(pdlc, 0o755);
  const ended = await rig.run(sample.dir, ['sh', script, 'F1', 'F2', 'F3'], { PDLC: pdlc });
  expect(ended.stdout.split('\n').filter((line) => line.startsWith('<<<'))).toEqual(Array(2).fill('<<<PDLC done stage=review>>>'));
  expect({ code: ended.code, starts: sample.starts() }).toEqual({ code: 2, starts: ['evaluator review', 'evaluator review'] });
  expect(ended.stderr).toContain('F3: blocked, a person is needed');
});

test('when all is over nothing is left: no process, no claimed room, no tree', async () => {
  const sample = openSample({ agent: agentFixture('good'), at: 'review' });
  await rig.pdlc(sample.dir, 'loop-run', 'F1');
  const { tree } = await rig.status(sample.dir);
  expect((await rig.pdlc(sample.dir, 'down')).code).toBe(0);
  expect(existsSync(tree)).toBe(false);
  expect(processesOf(rig.home)).toEqual([]);
  const projects = join(rig.home, 'projects');
  const owners = readdirSync(projects).flatMap((name) => readdirSync(join(projects, name, 'rooms')).filter((entry) => entry.endsWith('.owner')));
  expect(owners).toEqual([]);
});

/** Keys of the interface that an object of a run lacks. */
function keysMissing(object: RunObject): string[] {
  return [...keys.filter((key) => !(key in object)), ...object.steps.flatMap((step) => stepKeys.filter((key) => !(key in step)))];
}

function processesOf(home: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(`PDLC_HOME=${home}\0`));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
}
