// Every way of leaving a run and of stopping it, each with its one meaning: twice in a row, with a worker and without one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { openSample, type Repository } from './repository.js';
import { type Call, command, type Ended, openRig, type Rig, stackRecord, until } from './support.js';

const rig = openRig();
const alone = openRig();

test.concurrent('a closed terminal and a kill of the command leave the run going, as Ctrl-C does, and none of them is a success', async () => {
  const sample = await working(rig);
  const [closed, killed, deaf] = [1, 2, 3].map(() => rig.start(sample.dir, 'loop-run', 'F1')) as [Call, Call, Call];
  for (const call of [closed, killed, deaf]) await until(() => call.stderr().includes('implement'));
  closed.kill('SIGHUP');
  killed.kill('SIGTERM');
  const left = { code: 130, stdout: '', stderr: expect.stringContaining('detached: the run goes on') };
  for (const call of [closed, killed]) expect(await call.ended).toMatchObject(left);
  deaf.hangUp();
  sample.open();
  expect(await deaf.ended).toMatchObject({ code: 130 });
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual(['worker implement', 'evaluator review']);
});

test.concurrent('cancel ends an agent that ignores TERM, with all its children, before it answers', async () => {
  const sample = openSample({ agent: ['sh', '-c', `trap '' TERM; cat >/dev/null; sleep 1000 & echo "$$ $!" >"$PDLC_TEST_LOG"; wait`], at: 'implement' });
  const call = rig.start(sample.dir, 'loop-run', 'F1');
  const log = join(sample.around, 'agents.log');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').endsWith('\n'));
  expect(await rig.pdlc(sample.dir, 'cancel', 'F1')).toMatchObject({ code: 0, stdout: expect.stringContaining('F1: cancelled') });
  const pids = readFileSync(log, 'utf8').trim().split(' ');
  expect(pids.filter((pid) => !isGone(Number(pid)))).toEqual([]);
  expect(await call.ended).toMatchObject({ code: 6 });
});

test.concurrent('pause, abort and cancel without a worker say so, may be repeated, and take effect when one is back', async () => {
  const [steered, cancelled] = (await Promise.all([working(alone), working(alone)])) as [Repository, Repository];
  const { worker, ports } = stackRecord(alone);
  process.kill(worker.identity.pid, 'SIGKILL');
  // As from a machine that has no worker of its own: the local stack would be put right by any of them.
  const more = { TEMPORAL_ADDRESS: `127.0.0.1:${ports.server}`, TEMPORAL_NAMESPACE: 'pdlc' };
  const ask = (sample: Repository, name: string): Promise<Ended> => alone.run(sample.dir, [process.execPath, command, name, 'F1'], more);
  const answers = ['pause', 'pause', 'abort', 'abort'].map((name) => ask(steered, name));
  for (const answer of await Promise.all([...answers, ask(cancelled, 'cancel'), ask(cancelled, 'cancel')]))
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/sent;.* takes effect when .* is back/) });
  expect((await alone.pdlc(steered.dir, 'up')).code).toBe(0);
  steered.open();
  await until(async () => (await alone.status(cancelled.dir)).state === 'cancelled');
  await until(() => cancelled.log().every(({ pid }) => isGone(pid)));
  await until(async () => (await alone.status(steered.dir)).state === 'aborted');
  expect(await alone.pdlc(cancelled.dir, 'cancel', 'F1')).toMatchObject({ code: 0, stdout: 'F1: no open run, nothing to cancel\n' });
  for (const sample of [steered, cancelled]) expect(sample.starts()).toEqual(['worker implement']);
});

/** A run whose agent works until the sample is opened, and that nobody follows. */
async function working(where: Rig): Promise<Repository> {
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  const call = where.start(sample.dir, 'loop-run', 'F1');
  await until(() => sample.starts().length === 1);
  call.kill('SIGKILL');
  await call.ended;
  return sample;
}

/** Nothing of it runs any more; its pid may still wait to be fetched by the machine's first process. */
function isGone(pid: number): boolean {
  return !existsSync(`/proc/${pid}`) || /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}
