// Crashes in the middle of a stage: whatever is killed, the same command ends the same run, and no agent is started a second time.
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { openSample } from './repository.js';
import { openRig, stackPids, until } from './support.js';

const wholeRun = ['worker tdd', 'worker implement', 'evaluator review'];

// Each kills the stack of others, so each has its own.
for (const victims of [['worker'], ['server'], ['worker', 'server']] as const) {
  const rig = openRig();
  test(`a killed ${victims.join(' and ')} costs nothing: the same command ends the run`, async () => {
    const sample = openSample({ agent: agentFixture('slow', 'implement') });
    const before = snapshotRepo(sample.dir);
    const call = rig.start(sample.dir, 'loop-run', 'F1');
    await until(() => sample.starts().includes('worker implement'));
    const pids = stackPids(rig);
    for (const victim of victims) process.kill(pids[victim], 'SIGKILL');
    call.kill('SIGKILL');
    await call.ended;
    const again = rig.start(sample.dir, 'loop-run', 'F1');
    await until(() => again.stderr().includes('implement'));
    expect(stackPids(rig)).not.toEqual(pids);
    sample.open();
    expect(await again.ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
    expect(sample.starts()).toEqual(wholeRun);
    expect(snapshotRepo(sample.dir)).toEqual(before);
  });
}

const rig = openRig();

test('a loop-run whose server is killed does not hang: it ends by itself or goes on when the stack is back', async () => {
  const sample = openSample({ agent: agentFixture('slow', 'tdd') });
  const call = rig.start(sample.dir, 'loop-run', 'F1');
  await until(() => sample.starts().includes('worker tdd'));
  process.kill(stackPids(rig).server, 'SIGKILL');
  sample.open();
  await rig.pdlc(sample.dir, 'up');
  expect(await call.ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual(wholeRun);
});

test('after pdlc down the agent works on, and the next command goes on with it', async () => {
  const sample = openSample({ agent: agentFixture('slow', 'tdd') });
  const call = rig.start(sample.dir, 'loop-run', 'F1');
  await until(() => sample.starts().includes('worker tdd'));
  call.kill('SIGINT');
  await call.ended;
  expect((await rig.pdlc(sample.dir, 'down')).code).toBe(0);
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'working', stage: 'tdd' });
  sample.open();
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(0);
  expect(sample.starts()).toEqual(wholeRun);
});

test('of two commands at the same moment the second attaches and says so; both end alike and each agent starts once', async () => {
  const sample = openSample({ agent: agentFixture('good') });
  const both = await Promise.all([rig.pdlc(sample.dir, 'loop-run', 'F1'), rig.pdlc(sample.dir, 'loop-run', 'F1')]);
  expect(both).toMatchObject(Array(2).fill({ code: 0, last: '<<<PDLC done stage=review>>>' }));
  expect(both.filter(({ stderr }) => stderr.includes('attached to the run of this feature that is already open'))).toHaveLength(1);
  expect(sample.starts()).toEqual(wholeRun);
});
