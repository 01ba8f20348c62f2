// Guarantees of the sweep: all that carries the token goes, whatever its session or parent, and nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hasProc, readEnviron, ticksPerSecond } from '../../../activities/process/proc.js';
import { membersOf, sweep } from '../../../activities/process/sweep.js';
import { begin, freshToken, isGone, pidIn, run, shell, until } from './attempts.js';

const onProc = test.runIf(hasProc);

onProc('it finds nothing for a token that nobody carries', async () => {
  expect(await sweep(freshToken())).toEqual({ method: 'environ', killed: 0, clean: true });
});

onProc('a token that only begins or ends like ours is a stranger', async () => {
  const token = freshToken();
  const strangers = [`${token}.1`, `x${token}`].map((PDLC_MARK) =>
    spawn('sleep', ['600'], { env: { PATH: process.env.PATH, PDLC_MARK, OTHER: `PDLC_MARK=${token}` } }),
  );
  try {
    expect(await sweep(token)).toMatchObject({ killed: 0 });
  } finally {
    for (const stranger of strangers) {
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
      stranger.kill('SIGKILL');
      await once(stranger, 'exit');
    }
  }
});

onProc('a tree that forks while it is killed is gone in the end', async () => {
  const wanted = shell(`fork() { n=0; while [ $n -lt 400 ]; do setsid sleep 600 & n=$((n+1)); sleep 0.005; done; }; (fork) & (fork) & echo $$ > ready; wait`);
  await begin(wanted);
  await pidIn(join(wanted.cwd, 'ready'));
  await until(async () => (await membersOf(wanted.token)).length > 10);
  expect(await sweep(wanted.token)).toMatchObject({ method: 'environ', clean: true });
  expect(await membersOf(wanted.token)).toEqual([]);
});

onProc('a start record narrows the search to what is not older, and one of another boot narrows nothing', async () => {
  for (const bootId of [undefined, 'another boot']) {
    const wanted = shell('setsid sleep 600 & echo $! > child; wait');
    const { started } = await begin(wanted);
    const child = await pidIn(join(wanted.cwd, 'child'));
    if (!started) throw new Error('it was not started');
    const later = { ...started.supervisor, startTime: String(Number(started.supervisor.startTime) + 10 * ticksPerSecond) };
    expect(await membersOf(wanted.token, { started: { ...started, supervisor: later } })).toEqual([]);
    const record = bootId ? { ...started, bootId, supervisor: later } : started;
    expect((await membersOf(wanted.token, { started: record })).map(({ pid }) => pid)).toContain(child);
    expect(await sweep(wanted.token, { started: record })).toMatchObject({ clean: true });
    expect(isGone(child)).toBe(true);
  }
});

onProc('descendants that hide their environment belong to the tree as long as their parent lives', async () => {
  const wanted = shell('env -i setsid /bin/sleep 600 & echo $! > child; wait');
  await begin(wanted);
  const child = await pidIn(join(wanted.cwd, 'child'));
  expect((await membersOf(wanted.token)).map(({ pid }) => pid)).toContain(child);
  await sweep(wanted.token);
  expect(isGone(child)).toBe(true);
});

onProc('a grandchild that has cleared its environment and left its session, and whose parents are gone, does not escape', async () => {
  const wanted = shell('(env -i setsid sh -c "echo \\$\\$ > orphan; exec sleep 600 <&- >&- 2>&-" &); until [ -s orphan ]; do sleep 0.01; done');
  expect(await run(wanted)).toEqual({ kind: 'exited', exitCode: 0 });
  const orphan = await pidIn(join(wanted.cwd, 'orphan'));
  await until(async () => (await readEnviron(orphan)).every((entry) => !entry.startsWith('PDLC_MARK')));
  expect(await sweep(wanted.token)).toMatchObject({ killed: 1, clean: true });
  expect(isGone(orphan)).toBe(true);
});

onProc('what forks and ends faster than it can be looked for is killed with its group', async () => {
  const wanted = shell('env -i setsid sh -c "f() { echo > born; f & }; f" & until [ -e born ]; do sleep 0.01; done');
  expect(await run(wanted)).toEqual({ kind: 'exited', exitCode: 0 });
  expect(await sweep(wanted.token)).toMatchObject({ clean: true });
  rmSync(join(wanted.cwd, 'born'), { force: true });
  await sleep(50);
  expect(existsSync(join(wanted.cwd, 'born'))).toBe(false);
});

onProc('a marked engine never kills itself', async () => {
  expect((await membersOf('')).map(({ pid }) => pid)).not.toContain(process.pid);
});
