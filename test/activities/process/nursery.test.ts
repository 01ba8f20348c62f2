// The small process that starts programs: it answers like a start from here, and it never outlives its owner.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CollectRequest, collect } from '../../../activities/process/collect.js';
import { attachOrStart } from '../../../activities/process/launch.js';
import { openNursery } from '../../../activities/process/nursery.js';
import { readStat } from '../../../activities/process/proc.js';
import { cleanEnv } from '../../helpers/temp.js';
import { shell as attempt, end, isGone, until } from './attempts.js';

const entry = resolve(import.meta.dirname, '../../../dist/activities/process/nursery-main.js');
const nursery = openNursery(entry);
afterAll(() => nursery.close());

const shell = (script: string, more: Partial<CollectRequest> = {}): CollectRequest => ({
  ...{ file: '/bin/sh', args: ['-c', script], cwd: '/', env: { A: 'b c' }, input: '', timeoutMs: 10_000, outputBytesMax: 1_000 },
  ...more,
});

const cases: [string, CollectRequest, object][] = [
  ['its code, output and complaint', shell('echo "$A"; echo no >&2; exit 3'), { kind: 'ended', code: 3, stopped: null, complaint: 'no\n' }],
  ['its input, byte for byte', shell('cat', { input: Buffer.from([0, 255, 10, 195]) }), { code: 0, stdout: new Uint8Array([0, 255, 10, 195]) }],
  ['a signal', shell('kill -9 $$'), { code: null, signal: 'SIGKILL', stopped: null }],
  ['a time limit', shell('exec sleep 30', { timeoutMs: 50 }), { stopped: 'timeout' }],
  ['too much output, cut', shell('yes', { outputBytesMax: 4 }), { stopped: 'flood', stdout: new Uint8Array([121, 10, 121, 10]) }],
  ['a program that is not there', shell('', { file: '/nonexistent' }), { kind: 'not_started' }],
  ['input that nobody reads', shell('exit 0', { input: 'x'.repeat(1_000_000) }), { code: 0 }],
];

test.each(cases)('both ways of running tell %s', async (_name, request, expected) => {
  for (const run of [collect, nursery.collect]) {
    const found = await run(request);
    const stdout = 'stdout' in found ? { stdout: new Uint8Array(found.stdout) } : {};
    expect({ ...found, ...stdout }).toMatchObject(expected);
  }
});

test('many at once are answered each by its own', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => String(index));
  const found = await Promise.all(numbers.map((number) => nursery.collect(shell(`echo ${number}`))));
  expect(found.map((one) => ('stdout' in one ? Buffer.from(one.stdout).toString().trim() : null))).toEqual(numbers);
});

test('a call whose nursery dies is answered, and the next one gets a new nursery', async () => {
  const own = openNursery(entry);
  const dying = await own.collect(shell('kill -9 $PPID; sleep 1'));
  expect(dying).toMatchObject({ kind: 'not_started' });
  expect(await own.collect(shell('exit 5'))).toMatchObject({ code: 5 });
  own.close();
});

test('what a nursery detaches leads a session of its own and outlives it', async () => {
  const own = openNursery(entry);
  const { collect: run, detach, close } = own;
  const found = await run(shell('echo $PPID'));
  const nurseryPid = 'stdout' in found ? Number(Buffer.from(found.stdout).toString()) : 0;
  const wanted = attempt('until [ -e go ]; do sleep 0.02; done; exit 6');
  const handle = await attachOrStart(wanted, detach);
  const supervisor = handle.started?.supervisor.pid ?? 0;
  expect(readStat(supervisor)).toMatchObject({ parent: nurseryPid, session: supervisor });
  close();
  await until(() => isGone(nurseryPid));
  expect(isGone(supervisor)).toBe(false);
  writeFileSync(join(wanted.cwd, 'go'), '');
  expect(await end(handle)).toEqual({ kind: 'exited', exitCode: 6 });
});

test('a nursery ends when its owner is killed', async () => {
  const module = resolve(import.meta.dirname, '../../../dist/activities/process/nursery.js');
  const script = `const { openNursery } = await import(${JSON.stringify(module)});
    const { collect } = openNursery();
    const { stdout } = await collect({ file: '/bin/sh', args: ['-c', 'echo $PPID'], cwd: '/', env: {}, input: '', timeoutMs: 5000, outputBytesMax: 100 });
    process.stdout.write(Buffer.from(stdout), () => process.kill(process.pid, 'SIGKILL'));`;
  let pid = '';
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { env: cleanEnv(), encoding: 'utf8' });
  } catch (error) {
    pid = String((error as { stdout: string }).stdout).trim(); // a killed child is an error that carries its output
  }
  expect(pid).toMatch(/^\d+$/);
  await expect.poll(() => isThere(Number(pid)), { timeout: 5_000 }).toBe(false);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
