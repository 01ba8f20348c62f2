// Guarantees of the control directory's records: first writer wins, damage reads as absence.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as controlDir from '../../../activities/process/control-dir.js';
import { freshFolder } from './attempts.js';

const { filesOf, readBreach, readResult, readSpec, readStartRecord, writeBreach, writeIntent } = controlDir;
const spec = (token: string): controlDir.Spec => ({ token, argv: ['true'], cwd: '/' });

test('of ten intents in the same instant one stands, and everybody is told which', async () => {
  const dir = join(freshFolder(), 'control');
  const told = await Promise.all(Array.from({ length: 10 }, (_, index) => writeIntent(dir, spec(`t${index}`), 'prompt')));
  expect(new Set(told.map(({ token }) => token)).size).toBe(1);
  expect(told[0]).toEqual(await readSpec(dir));
  expect(readdirSync(dir).sort()).toEqual(['err', 'out', 'prompt', 'result.next', 'spec.json']);
});

test('a prompt of bytes is kept byte for byte, and a later one changes nothing', async () => {
  const dir = freshFolder();
  await writeIntent(dir, spec('t'), Uint8Array.from([0, 255, 10]));
  await writeIntent(dir, spec('t'), 'later');
  expect([...readFileSync(filesOf(dir).prompt)]).toEqual([0, 255, 10]);
});

test.each([
  ['an empty command', { argv: [''] }],
  ['a command that looks like an option', { argv: ['-c'] }],
  ['a relative working directory', { cwd: 'here' }],
  ['a token that could break a record', { token: 'a"b' }],
  ['an empty token', { token: '' }],
])('%s is refused', async (_name, change) => {
  // The cast lets the test offer what the types forbid.
  const wrong = { ...spec('t'), ...change } as controlDir.Spec;
  await expect(writeIntent(freshFolder(), wrong, '')).rejects.toThrow();
});

test.each(['', ' '.repeat(64), '{"status":', '{"status":-1}', '{"status":"0"}', '{}', 'null', '0'])('a result record of %j is no result', async (text) => {
  const dir = freshFolder();
  writeFileSync(filesOf(dir).result, text);
  expect(await readResult(dir)).toBeNull();
});

test('a start record that is cut off is torn, one that is missing is null', async () => {
  const dir = freshFolder();
  expect(await readStartRecord(dir)).toBeNull();
  writeFileSync(filesOf(dir).started, '{"pid":42,"startTime"');
  expect(await readStartRecord(dir)).toBe('torn');
});

test('the first breach stands', async () => {
  const dir = freshFolder();
  await writeBreach(dir, { kind: 'timed_out' });
  await writeBreach(dir, { kind: 'cancelled' });
  expect(await readBreach(dir)).toEqual({ kind: 'timed_out' });
  expect(statSync(filesOf(dir).breach).mode & 0o777).toBe(0o600);
});
