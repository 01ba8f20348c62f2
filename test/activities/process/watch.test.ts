// Guarantees of watching: what each end is called, which limits end it, and that nothing that was stopped lives on.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf, readBreach, readResult } from '../../../activities/process/control-dir.js';
import { ageMs } from '../../../activities/process/identity.js';
import { attachOrStart } from '../../../activities/process/launch.js';
import { sweep } from '../../../activities/process/sweep.js';
import { type Beat, leaveRunning, watch } from '../../../activities/process/watch.js';
import { begin, end, isGone, pidIn, request, run, shell, until } from './attempts.js';

const script = (code: string) => request([process.execPath, '-e', code]);

test.each([
  ['exit 0', { kind: 'exited', exitCode: 0 }],
  ['exit 1', { kind: 'exited', exitCode: 1 }],
  ['exec pdlc-no-such-command', { kind: 'exited', exitCode: 127 }],
  ['exec /etc/passwd', { kind: 'exited', exitCode: 126 }],
  ['kill -KILL $$', { kind: 'signalled', signal: 9 }],
  ['kill -SEGV $$', { kind: 'signalled', signal: 11 }],
  ['exit 143', { kind: 'signalled', signal: 15 }],
])('%s ends as it is', async (line, exit) => {
  expect(await run(shell(line))).toEqual(exit);
});

test('a grandchild in a session of its own that holds stdout open delays nothing, and the sweep ends it', async () => {
  const wanted = shell('setsid sh -c "(sleep 600 & echo \\$! > orphan) " & until [ -s orphan ]; do sleep 0.01; done; exit 0');
  expect(await run(wanted)).toEqual({ kind: 'exited', exitCode: 0 });
  const orphan = await pidIn(join(wanted.cwd, 'orphan'));
  expect(isGone(orphan)).toBe(false);
  expect(await sweep(wanted.token)).toEqual({ method: 'environ', killed: 1, clean: true });
  expect(isGone(orphan)).toBe(true);
});

test('a child that ignores TERM is gone when the wall limit has ended it, and a later caller hears the same', async () => {
  const wanted = shell(`trap '' TERM; (trap '' TERM; sleep 600) & echo $! > child; while :; do sleep 0.05; done`);
  const handle = await begin(wanted);
  const child = await pidIn(join(wanted.cwd, 'child'));
  expect(await end(handle, { wallMs: 300 })).toEqual({ kind: 'timed_out' });
  expect([handle.started?.pid ?? 0, handle.started?.supervisor.pid ?? 0, child].map(isGone)).toEqual([true, true, true]);
  expect(await end(await attachOrStart(wanted))).toEqual({ kind: 'timed_out' });
});

test('the wall limit counts from the recorded start, whoever watches', async () => {
  const handle = await begin(shell('sleep 600'));
  await until(() => handle.started && ageMs(handle.started) > 300);
  const beats: Beat[] = [];
  expect(await end(handle, { wallMs: 200, onBeat: (beat) => beats.push(beat) })).toEqual({ kind: 'timed_out' });
  expect(beats).toEqual([]);
});

test('a stopped process still meets the wall limit', async () => {
  const handle = await begin(shell('kill -STOP $$'));
  expect(await end(handle, { wallMs: 500 })).toEqual({ kind: 'timed_out' });
  expect(isGone(handle.started?.pid ?? 0)).toBe(true);
});

test('silence ends a process that prints nothing, and neither stdout nor stderr is silence', async () => {
  expect(await run(shell('for i in 1 2 3 4; do sleep 0.2; echo $i; sleep 0.2; echo $i >&2; done'))).toEqual({ kind: 'exited', exitCode: 0 });
  const noisy = await begin(shell('for i in 1 2 3 4; do sleep 0.3; echo $i; sleep 0.3; echo $i >&2; done'));
  const quiet = await begin(shell('echo one; exec sleep 600'));
  expect(await Promise.all([end(noisy, { silenceMs: 1500 }), end(quiet, { silenceMs: 400 })])).toEqual([{ kind: 'exited', exitCode: 0 }, { kind: 'silent' }]);
});

test('a getter can suspend the silence limit while the process is known to be busy', async () => {
  const handle = await begin(shell('exec sleep 600'));
  let beats = 0;
  const limits = {
    wallMs: 60_000,
    outputBytesMax: 1000,
    get silenceMs() {
      return beats < 2 ? undefined : 1;
    },
  };
  const onBeat = () => {
    beats += 1;
  };
  expect(await watch(handle, { signal: new AbortController().signal, onBeat, limits, graceMs: 0 })).toEqual({ kind: 'silent' });
  expect(beats).toBe(2);
});

test('a flood ends the process, quick or slow, on stdout or stderr', async () => {
  const forever = 'while (true) require("fs").writeSync(2, "x".repeat(65536));';
  expect(await end(await begin(script(forever)), { outputBytesMax: 1_000_000 })).toEqual({ kind: 'flooded' });
  expect(await end(await begin(shell('echo too long')), { outputBytesMax: 5 })).toEqual({ kind: 'flooded' });
});

test('5 MB without a newline are no line and no trouble', async () => {
  const beats: Beat[] = [];
  const wanted = script('process.stdout.write("first\\n" + "x".repeat(5e6)); setInterval(() => require("fs").existsSync("go") && process.exit(2), 20)');
  const exit = end(await begin(wanted), { onBeat: (beat) => beats.push(beat) });
  await until(() => beats.at(-1)?.outBytes === 5_000_006);
  writeFileSync(join(wanted.cwd, 'go'), '');
  expect(await exit).toEqual({ kind: 'exited', exitCode: 2 });
  expect(beats.at(-1)).toMatchObject({ outBytes: 5_000_006, lastLine: null });
});

test('1 GB of output takes no memory of the watcher, and it beats all the while', async () => {
  const wanted = shell('truncate -s 1073741824 /proc/self/fd/1; echo; echo end; until [ -e go ]; do sleep 0.02; done; exit 2');
  const before = process.memoryUsage().rss;
  const beats: Beat[] = [];
  const exit = end(await begin(wanted), { outputBytesMax: 2 ** 31, onBeat: (beat) => beats.push(beat) });
  await until(() => beats.filter(({ lastLine }) => lastLine === 'end').length > 1);
  writeFileSync(join(wanted.cwd, 'go'), '');
  expect(await exit).toEqual({ kind: 'exited', exitCode: 2 });
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576);
});

test('beats carry pid, bytes and the last clean line', async () => {
  const wanted = shell(`printf 'one\\n\\033[31mtwo\\033[0m \\007é\\n\\nunfinished'; until [ -e go ]; do sleep 0.02; done`);
  const handle = await begin(wanted);
  const beats: Beat[] = [];
  const exit = end(handle, { onBeat: (beat) => beats.push(beat) });
  // The first beat may come while the process is still starting, or between two of its writes.
  await until(() => beats.at(-1)?.outBytes === 32);
  writeFileSync(join(wanted.cwd, 'go'), '');
  expect(await exit).toEqual({ kind: 'exited', exitCode: 0 });
  expect(beats.at(-1)).toEqual({ pid: handle.started?.pid, outBytes: 32, lastLine: 'two é' });
});

test('an abort ends the tree before it resolves', async () => {
  const wanted = shell('setsid sleep 600 & echo $! > child; wait');
  const handle = await begin(wanted);
  const child = await pidIn(join(wanted.cwd, 'child'));
  const abort = new AbortController();
  const exit = end(handle, { signal: abort.signal });
  abort.abort(new Error('cancelled by a person'));
  expect(await exit).toEqual({ kind: 'cancelled' });
  expect([handle.started?.pid ?? 0, child].map(isGone)).toEqual([true, true]);
  expect(await readBreach(wanted.dir)).toEqual({ kind: 'cancelled' });
});

test('an abort to leave it running throws that reason and leaves the child alone', async () => {
  const wanted = shell('until [ -e go ]; do sleep 0.02; done; exit 6');
  const handle = await begin(wanted);
  const abort = new AbortController();
  const left = end(handle, { signal: abort.signal });
  abort.abort(leaveRunning);
  await expect(left).rejects.toBe(leaveRunning);
  expect(isGone(handle.started?.pid ?? 0)).toBe(false);
  writeFileSync(join(wanted.cwd, 'go'), '');
  expect(await end(await attachOrStart(wanted))).toEqual({ kind: 'exited', exitCode: 6 });
});

test('a result that is there wins over an abort', async () => {
  const wanted = shell('exit 0');
  const handle = await begin(wanted);
  await until(() => existsSync(filesOf(wanted.dir).result));
  expect(await end(handle, { signal: AbortSignal.abort(leaveRunning) })).toEqual({ kind: 'exited', exitCode: 0 });
});

test('a supervisor killed under a watcher makes the process lost and takes its child along', async () => {
  const handle = await begin(shell('exec sleep 600'));
  const exit = end(handle);
  process.kill(handle.started?.supervisor.pid ?? 0, 'SIGKILL');
  expect(await exit).toEqual({ kind: 'lost' });
  expect(isGone(handle.started?.pid ?? 0)).toBe(true);
});

test('a result that is not whole is no result', async () => {
  const wanted = shell('exec sleep 600');
  const handle = await begin(wanted);
  writeFileSync(filesOf(wanted.dir).result, ' '.repeat(63));
  expect(await readResult(wanted.dir)).toBeNull();
  process.kill(handle.started?.supervisor.pid ?? 0, 'SIGKILL');
  expect(await end(handle)).toEqual({ kind: 'lost' });
});

test('an error of onBeat reaches the caller and leaves the child alone', async () => {
  const handle = await begin(shell('exec sleep 600'));
  const beaten = end(handle, {
    onBeat: () => {
      throw new Error('no heartbeat');
    },
  });
  await expect(beaten).rejects.toThrow('no heartbeat');
  expect(isGone(handle.started?.pid ?? 0)).toBe(false);
});

test('two watchers of one process see the same end', async () => {
  const handle = await begin(shell('sleep 0.1; exit 8'));
  expect(await Promise.all([end(handle), end(handle)])).toEqual(Array(2).fill({ kind: 'exited', exitCode: 8 }));
});
