// Guarantees of attach-or-start: one command per directory, whoever asks, whenever, and whoever has died in between.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf } from '../../../activities/process/control-dir.js';
import { type DetachRequest, detach } from '../../../activities/process/detach.js';
import { type ProcessIdentity, readIdentity } from '../../../activities/process/identity.js';
import { attachOrStart, type StartRequest } from '../../../activities/process/launch.js';
import { hasProc } from '../../../activities/process/proc.js';
import { stopTree } from '../../../activities/process/stop.js';
import { sweep } from '../../../activities/process/sweep.js';
import { begin, compileLaunch, end, isGone, outOf, pidIn, request, run, shell, until } from './attempts.js';

test('ten callers in the same instant start one command and all attach to it', async () => {
  const wanted = shell('echo $$ >> starts; sleep 0.3');
  const handles = await Promise.all(Array.from({ length: 10 }, () => attachOrStart(wanted)));
  expect(new Set(handles.map(({ started }) => started?.pid)).size).toBe(1);
  const exits = await Promise.all(handles.map((handle) => end(handle)));
  expect(exits).toEqual(Array(10).fill({ kind: 'exited', exitCode: 0 }));
  expect(readFileSync(join(wanted.cwd, 'starts'), 'utf8').trim().split('\n')).toHaveLength(1);
});

test('the command keeps its pid when its starter is killed, and a later caller attaches to it', async () => {
  const wanted = shell('until [ -e go ]; do sleep 0.02; done; echo done; exit 3');
  const code = `const { attachOrStart } = await import(${JSON.stringify(compileLaunch())});
    console.log((await attachOrStart(${JSON.stringify(wanted)})).started.pid); setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(starter.stdout, 'data');
  starter.kill('SIGKILL');
  await once(starter, 'exit');
  const handle = await attachOrStart(wanted);
  expect(handle).toMatchObject({ state: 'running', started: { pid: Number(printed) } });
  writeFileSync(join(wanted.cwd, 'go'), '');
  expect(await end(handle)).toEqual({ kind: 'exited', exitCode: 3 });
  expect(outOf(wanted)).toBe('done\n');
});

test('a command that finished while nobody watched gives its result without running again', async () => {
  const wanted = shell('echo $$ >> starts; exit 7');
  await begin(wanted);
  await until(() => existsSync(filesOf(wanted.dir).result));
  const handle = await attachOrStart(wanted);
  expect(handle).toMatchObject({ state: 'finished', status: 7 });
  expect(await end(handle)).toEqual({ kind: 'exited', exitCode: 7 });
  expect(readFileSync(join(wanted.cwd, 'starts'), 'utf8').trim().split('\n')).toHaveLength(1);
});

test('an intent without a start record is started, as it was recorded', async () => {
  const wanted = shell('echo recorded');
  const { dir, token, argv, cwd } = wanted;
  mkdirSync(dir);
  for (const name of ['prompt', 'out', 'err']) writeFileSync(join(dir, name), '');
  writeFileSync(filesOf(dir).spec, JSON.stringify({ token, argv, cwd }));
  expect(await run({ ...wanted, argv: ['/bin/sh', '-c', 'echo asked'] })).toEqual({ kind: 'exited', exitCode: 0 });
  expect(outOf(wanted)).toBe('recorded\n');
});

test('a start whose starter died is asked for again, and one that is only slow is not doubled', async () => {
  const wanted = shell('echo $$ >> starts');
  const asked: DetachRequest[] = [];
  const handle = await attachOrStart(wanted, (start) => {
    if (asked.push(start) > 1) for (const one of asked) detach(one);
  });
  expect(await end(handle)).toEqual({ kind: 'exited', exitCode: 0 });
  expect(asked).toHaveLength(2);
  expect(readFileSync(join(wanted.cwd, 'starts'), 'utf8').trim().split('\n')).toHaveLength(1);
});

test('a command whose supervisor and child are both killed is lost and never started again', async () => {
  const wanted = shell('echo $$ >> starts; exec sleep 600');
  const { started } = await begin(wanted);
  await pidIn(join(wanted.cwd, 'starts'));
  process.kill(started?.supervisor.pid ?? 0, 'SIGKILL');
  process.kill(started?.pid ?? 0, 'SIGKILL');
  await until(() => isGone(started?.supervisor.pid ?? 0) && isGone(started?.pid ?? 0));
  const handle = await attachOrStart(wanted);
  expect(handle.state).toBe('lost');
  expect(await end(handle)).toEqual({ kind: 'lost' });
  expect(readFileSync(join(wanted.cwd, 'starts'), 'utf8').trim().split('\n')).toHaveLength(1);
});

test('a living child of a killed supervisor is lost, and its tree is swept before that is said', async () => {
  const wanted = shell('sleep 600 & echo $! > grandchild; wait');
  const { started } = await begin(wanted);
  const grandchild = await pidIn(join(wanted.cwd, 'grandchild'));
  process.kill(started?.supervisor.pid ?? 0, 'SIGKILL');
  await until(() => isGone(started?.supervisor.pid ?? 0));
  const handle = await attachOrStart(wanted);
  expect(handle.state).toBe('lost');
  expect(await end(handle)).toEqual({ kind: 'lost' });
  expect([started?.pid ?? 0, grandchild].map(isGone)).toEqual([true, true]);
});

test.each([
  ['another start time', { startTime: '1' }],
  ['another boot', { bootId: '00000000-0000-0000-0000-000000000000' }],
])('a pid with %s is a stranger: lost, and not signalled', async (_name, change) => {
  await besideStranger(async (identity) => {
    const wanted = shell('exit 0');
    forge(wanted, recordOf(wanted, { ...identity, ...change }));
    const handle = await attachOrStart(wanted);
    expect(handle.state).toBe('lost');
    expect(await end(handle)).toEqual({ kind: 'lost' });
    await sweep(wanted.token, handle);
  });
});

test('a start record of another token is a conflict, even when its process lives, and nobody is signalled', async () => {
  await besideStranger(async (identity) => {
    const wanted = shell('touch ran');
    forge(wanted, { ...recordOf(wanted, identity), token: 'test.other' });
    await expect(attachOrStart(wanted)).rejects.toMatchObject({ kind: 'control_conflict', message: expect.stringContaining('test.other') });
    expect(existsSync(join(wanted.cwd, 'ran'))).toBe(false);
  });
});

test.runIf(hasProc)('a start record that rightly names a living stranger is a conflict, and nobody is signalled', async () => {
  await besideStranger(async (identity) => {
    const wanted = shell('touch ran');
    forge(wanted, recordOf(wanted, identity));
    await expect(attachOrStart(wanted)).rejects.toMatchObject({ kind: 'control_conflict', message: expect.stringContaining(String(identity.pid)) });
    expect(existsSync(join(wanted.cwd, 'ran'))).toBe(false);
    await stopTree({ token: wanted.token, group: null }, identity, 0);
  });
});

test('a start record that is cut off stays lost, is never started over, and nobody is signalled', async () => {
  await besideStranger(async (identity) => {
    const wanted = shell('touch ran');
    forge(wanted, JSON.stringify(recordOf(wanted, identity)).slice(0, -20));
    const handle = await attachOrStart(wanted);
    expect(handle).toMatchObject({ state: 'lost', started: null });
    expect(await end(handle)).toEqual({ kind: 'lost' });
    await sweep(wanted.token, handle);
    expect(existsSync(join(wanted.cwd, 'ran'))).toBe(false);
  });
});

test('a result without a start record is a conflict: nothing is started, and it is no success', async () => {
  const wanted = shell('touch ran');
  forge(wanted, null);
  writeFileSync(filesOf(wanted.dir).result, '{"status":0}');
  await expect(attachOrStart(wanted)).rejects.toMatchObject({ kind: 'control_conflict', message: expect.stringContaining('result') });
  expect(existsSync(join(wanted.cwd, 'ran'))).toBe(false);
});

/** Runs the body beside a process of somebody else that leads a group, and proves that it lives on. */
async function besideStranger(body: (identity: ProcessIdentity) => Promise<void>): Promise<void> {
  const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const gone = once(stranger, 'exit');
  try {
    const identity = readIdentity(stranger.pid ?? 0);
    if (identity === null) throw new Error('the stranger did not start');
    await body(identity);
    expect(isGone(identity.pid)).toBe(false);
  } finally {
    stranger.kill('SIGKILL');
    await gone;
  }
}

function recordOf({ token }: StartRequest, { pid, startTime, bootId }: ProcessIdentity): object {
  return { pid, startTime, bootId, token, supervisor: { pid, startTime } };
}

/** Writes the control directory of a request by hand: its spec, and a start record as given. */
function forge({ dir, token, argv, cwd }: StartRequest, record: object | string | null): void {
  mkdirSync(dir);
  for (const name of ['prompt', 'out', 'err']) writeFileSync(join(dir, name), '');
  writeFileSync(filesOf(dir).spec, JSON.stringify({ token, argv, cwd }));
  if (record !== null) writeFileSync(filesOf(dir).started, typeof record === 'string' ? record : JSON.stringify(record));
}

test('a directory that holds another token is refused by name', async () => {
  const wanted = shell('exit 0');
  await run(wanted);
  const other = attachOrStart({ ...wanted, token: 'test.other' });
  await expect(other).rejects.toMatchObject({ kind: 'control_conflict', message: expect.stringContaining(wanted.token) });
});

test('a damaged spec is refused and nothing is started', async () => {
  const wanted = shell('touch ran');
  mkdirSync(wanted.dir);
  writeFileSync(filesOf(wanted.dir).spec, '{"token":');
  await expect(attachOrStart(wanted)).rejects.toMatchObject({ kind: 'control_conflict' });
  expect(readdirSync(wanted.dir)).toEqual(['spec.json']);
});

test('the command gets exactly the given environment, its token and its working directory', async () => {
  const wanted = request([process.execPath, '-e', 'console.log(JSON.stringify(process.env))'], { env: { A: 'ä "1"\n', HOME: '/nowhere' } });
  await run(wanted);
  const { SHLVL: _added, _: _by, ...env } = JSON.parse(outOf(wanted));
  expect(env).toEqual({ A: 'ä "1"\n', HOME: '/nowhere', PDLC_MARK: wanted.token, PWD: wanted.cwd });
});

test('the control directory is private, holds no environment value, and does not narrow the umask of the command', async () => {
  const wanted = shell('umask', { env: { PATH: '/usr/bin:/bin', KEY: 'very-secret' } });
  await run(wanted);
  const names = readdirSync(wanted.dir).sort();
  expect(names).toEqual(['err', 'out', 'prompt', 'result', 'spec.json', 'started']);
  expect(statSync(wanted.dir).mode & 0o777).toBe(0o700);
  for (const name of names) {
    expect([name, statSync(join(wanted.dir, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(readFileSync(join(wanted.dir, name), 'utf8')).not.toContain('very-secret');
  }
  expect(Number.parseInt(outOf(wanted), 8)).toBe(process.umask());
});
