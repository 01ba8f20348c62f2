// Guarantees of identity: the same process only, zombies are dead, odd names do not confuse.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ageMs, isAlive, readIdentity, startTimeFromPs } from '../../../activities/process/identity.js';
import { hasProc, parseStat } from '../../../activities/process/proc.js';
import { freshFolder, until } from './attempts.js';

test('a live process is alive, another start time or boot is not', () => {
  const own = readIdentity(process.pid);
  expect(own).toMatchObject({ pid: process.pid });
  if (own === null) return;
  expect([own, { ...own, startTime: '1' }, { ...own, bootId: 'other' }].map(isAlive)).toEqual([true, false, false]);
});

test('a pid that nobody has is nobody', () => {
  expect(readIdentity(2 ** 22 + 1)).toBeNull();
});

test('a zombie is not alive', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    await until(() => readIdentity(pid) === null);
    expect(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })).toMatch(/^Z/);
    expect(startTimeFromPs(pid)).toBeNull();
  } finally {
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  }
});

test.runIf(hasProc)('a command name with spaces and parentheses does not shift the fields', async () => {
  const file = join(freshFolder(), ') S 1 (x) R');
  copyFileSync('/bin/sleep', file);
  const child = spawn(file, ['600'], { stdio: 'ignore' });
  try {
    const identity = readIdentity(child.pid ?? 0);
    expect(Number(identity?.startTime)).toBeGreaterThanOrEqual(Number(readIdentity(process.pid)?.startTime));
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

test('the fields of a table line are found behind the last parenthesis', () => {
  const line = `42 (a) b (\n)) S 1 2 3 ${Array.from({ length: 30 }, (_, index) => index + 7).join(' ')}`;
  expect(parseStat(line)).toEqual({ pid: 42, state: 'S', parent: 1, group: 2, session: 3, startTime: '22' });
  expect(parseStat('garbage')).toBeNull();
});

test('age counts from the start of the process', () => {
  const own = readIdentity(process.pid);
  expect(own && Math.abs(ageMs(own) - process.uptime() * 1000)).toBeLessThan(1000);
});

test('ps tells one start time for one process', () => {
  expect(startTimeFromPs(process.pid)).toMatch(/^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/);
  expect(startTimeFromPs(2 ** 22 + 1)).toBeNull();
});
