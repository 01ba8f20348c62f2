// Guarantees of stopping a tree: a grace for those that use it, no escape, no stranger touched.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIdentity } from '../../../activities/process/identity.js';
import { stopTree } from '../../../activities/process/stop.js';
import { begin, freshToken, isGone, pidIn, readText, shell, until } from './attempts.js';

const graceMs = 5_000;

test('a process that ends on TERM has its grace to tidy up', async () => {
  const wanted = shell(`trap 'sleep 0.2; echo tidy > tidied; exit 0' TERM; touch ready; while :; do sleep 0.02; done`);
  const { started } = await begin(wanted);
  await until(() => existsSync(join(wanted.cwd, 'ready')));
  expect(await stopTree({ token: wanted.token, group: null }, started, graceMs)).toMatchObject({ clean: true });
  expect(readText(join(wanted.cwd, 'tidied'))).toBe('tidy\n');
});

test('a child that clears its environment in a session of its own does not escape', async () => {
  const wanted = shell('env -i setsid /bin/sleep 600 & echo $! > child; wait');
  const { started } = await begin(wanted);
  const child = await pidIn(join(wanted.cwd, 'child'));
  await until(() => readText(`/proc/${child}/environ`) === '' && readText(`/proc/${child}/cmdline`).startsWith('/bin/sleep'));
  expect(await stopTree({ token: wanted.token, group: null }, started, graceMs)).toMatchObject({ clean: true });
  expect(isGone(child)).toBe(true);
});

test('a process whose start time does not match is not signalled, nor is its group', async () => {
  const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const identity = readIdentity(stranger.pid ?? 0);
  try {
    expect(await stopTree({ token: freshToken(), group: null }, identity && { ...identity, startTime: '1' }, 0)).toMatchObject({ killed: 0, clean: true });
    expect(isGone(stranger.pid ?? 0)).toBe(false);
  } finally {
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  }
});

test("the engine's own group is never signalled", async () => {
  expect(await stopTree({ token: freshToken(), group: null }, readIdentity(process.pid), 0)).toMatchObject({ killed: 0, clean: true });
});

test('stopping twice, or with nothing known, is harmless', async () => {
  const wanted = shell('exec sleep 600');
  const { started } = await begin(wanted);
  expect(await stopTree({ token: wanted.token, group: null }, null, 0)).toMatchObject({ killed: 2, clean: true });
  expect(await stopTree({ token: wanted.token, group: null }, started, 0)).toMatchObject({ killed: 0, clean: true });
});
