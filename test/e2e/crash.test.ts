// Crashes in the middle of a stage: whatever is killed, the same command ends the same run, and no agent is started a second time.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { openSample, type Repository } from './repository.js';
import { type Call, openRig, type Rig, stackRecord, until } from './support.js';

/** Longer than the heartbeat timeout on a local stack, in ms, with the second by which a beat may be throttled. */
const heartbeatMs = 7_000;
const done = { code: 0, last: '<<<PDLC done stage=review>>>' };
const oneEach = ['worker implement', 'evaluator review'];

// Each test kills or stops its stack, so each has one of its own.
for (const victims of [['worker'], ['server', 'worker']] as const) {
  const rig = openRig();
  test.concurrent(`a killed ${victims.join(' and ')} costs nothing: the same command ends the run`, async () => {
    const { sample, call } = await working(rig);
    const before = snapshotRepo(sample.dir);
    const record = stackRecord(rig);
    for (const victim of victims) process.kill(record[victim].identity.pid, 'SIGKILL');
    call.kill('SIGKILL');
    await call.ended;
    const again = rig.start(sample.dir, 'loop-run', 'F1');
    await until(() => again.stderr().includes('implement'));
    for (const victim of victims) expect(stackRecord(rig)[victim].identity.pid).not.toBe(record[victim].identity.pid);
    sample.open();
    expect(await again.ended).toMatchObject(done);
    expect(sample.starts()).toEqual(oneEach);
    expect(snapshotRepo(sample.dir)).toEqual(before);
  });
}

for (const victims of [['worker'], ['server', 'worker']] as const) {
  const rig = openRig();
  test.concurrent(`a killed ${victims.join(' and ')} is started again by the command that follows the run, with nobody there`, async () => {
    const { sample, call } = await working(rig);
    const record = stackRecord(rig);
    for (const victim of victims) process.kill(record[victim].identity.pid, 'SIGKILL');
    sample.open();
    expect(await call.ended).toMatchObject(done);
    for (const victim of victims) expect(stackRecord(rig)[victim].identity.pid).not.toBe(record[victim].identity.pid);
    expect(call.stderr()).toContain('what is down of the local stack is started again');
    expect(sample.starts()).toEqual(oneEach);
  });
}

const away = openRig();

test.concurrent('a server that is away for longer than a heartbeat costs no agent, and the command that follows the run does not hang', async () => {
  const { sample, call } = await working(away);
  const { workflowId } = await away.status(sample.dir);
  process.kill(stackRecord(away).server.identity.pid, 'SIGKILL');
  const goneAt = Date.now();
  const missesHeartbeats = () => readFileSync(join(away.home, 'stack/worker.log'), 'utf8').includes('Error when recording heartbeat');
  // A server that is back sooner than a heartbeat may be late would not try the activity again.
  await until(() => missesHeartbeats() && Date.now() - goneAt > heartbeatMs);
  await away.pdlc(sample.dir, 'up');
  // The server has given the agent's activity to a second try, and that one has been at it for longer than the first needs to hear of it.
  await until(() => isTriedAgain(String(workflowId)), { limitMs: 60_000, pollMs: 500 });
  sample.open();
  expect(await call.ended).toMatchObject(done);
  expect(sample.starts()).toEqual(oneEach);
});

const closed = openRig();

test.concurrent('a run that someone terminates on the server ends the command that follows it, and its agent', async () => {
  const { sample, call } = await working(closed);
  const { workflowId } = await closed.status(sample.dir);
  const { server, ports } = stackRecord(closed);
  const which = ['--address', `127.0.0.1:${ports.server}`, '--namespace', 'pdlc', '--workflow-id', String(workflowId)];
  execFileSync(server.binary, ['workflow', 'terminate', ...which], { env: closed.env });
  expect(await call.ended).toMatchObject({ code: 6, stderr: expect.stringContaining('found it closed on the server') });
  await until(() => sample.log().every(({ pid }) => !existsSync(`/proc/${pid}`)));
});

const forgotten = openRig();

test.concurrent('a run that the server no longer knows ends the command that follows it with 69', async () => {
  const { sample, call } = await working(forgotten);
  const { server, worker } = stackRecord(forgotten);
  for (const { identity } of [worker, server]) process.kill(identity.pid, 'SIGKILL');
  const stack = join(forgotten.home, 'stack');
  for (const name of readdirSync(stack).filter((file) => file.includes('.db'))) renameSync(join(stack, name), join(stack, `old ${name}`));
  expect(await call.ended).toMatchObject({ code: 69, stderr: expect.stringContaining('expected the server to know this run') });
  sample.open();
  await until(() => sample.log().every(({ pid }) => !existsSync(`/proc/${pid}`)));
});

const stopped = openRig();

test.concurrent('after pdlc down the agent works on, and the next command goes on with it', async () => {
  const { sample, call } = await working(stopped);
  call.kill('SIGINT');
  await call.ended;
  expect((await stopped.pdlc(sample.dir, 'down')).code).toBe(0);
  expect(await stopped.status(sample.dir)).toMatchObject({ state: 'working', stage: 'implement' });
  sample.open();
  expect((await stopped.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(0);
  expect(sample.starts()).toEqual(oneEach);
});

async function working(rig: Rig): Promise<{ sample: Repository; call: Call }> {
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  const call = rig.start(sample.dir, 'loop-run', 'F1');
  await until(() => sample.starts().length === 1);
  return { sample, call };
}

function isTriedAgain(workflowId: string): boolean {
  const { server, ports } = stackRecord(away);
  const about = ['workflow', 'describe', '--address', `127.0.0.1:${ports.server}`, '--namespace', 'pdlc', '--workflow-id', workflowId, '-o', 'json'];
  const [pending] = JSON.parse(execFileSync(server.binary, about, { env: away.env, encoding: 'utf8' })).pendingActivities ?? [];
  if (!pending || pending.attempt < 2) return false;
  return Date.parse(pending.lastHeartbeatTime ?? '') - Date.parse(pending.lastStartedTime ?? '') > 2_000;
}
