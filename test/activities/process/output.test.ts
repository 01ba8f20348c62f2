// Guarantees of reading output: bounded, whole characters, nothing that a terminal would obey.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastLine, sizeOf, tail } from '../../../activities/process/output.js';
import { freshFolder } from './attempts.js';

function fileWith(content: string | Uint8Array): string {
  const file = join(freshFolder(), 'out');
  writeFileSync(file, content);
  return file;
}

test.each([
  ['the whole of a short file', 'häppy\n', 100, 'häppy\n'],
  ['exactly the last bytes', '0123456789', 4, '6789'],
  ['no character that was cut at the start', 'a😀b', 4, 'b'],
  ['whole characters at the start', 'a😀b', 5, '😀b'],
  ['no character that was cut at the end', Buffer.from('ok 😀').subarray(0, 6), 100, 'ok '],
  ['a mark for each invalid byte', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 100, 'a��b'],
  ['a mark for a stray continuation at the true start of the file', Buffer.from([0x80, 0x61]), 100, '�a'],
  ['no escape sequences', '\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x', 100, 'red x'],
  ['no control codes but newline and tab', 'a\u0000\u0008\r\n\tb\u007f\u0085', 100, 'a\n\tb'],
  ['nothing of an empty file', '', 100, ''],
])('tail gives %s', async (...[, content, bytesMax, text]) => {
  expect(await tail(fileWith(content), bytesMax)).toBe(text);
});

test('a missing file reads as empty', async () => {
  const missing = join(freshFolder(), 'missing');
  expect([await tail(missing, 10), await lastLine(missing), await sizeOf(missing)]).toEqual(['', null, 0]);
});

test.each([
  ['the last complete line', 'one\ntwo\nthr', 'two'],
  ['a line before blank ones', 'one\n \n\u001b[2K\n', 'one'],
  ['nothing before the first newline', 'unfinished', null],
  ['at most 200 characters, emoji whole', `${'😀'.repeat(300)}\n`, '😀'.repeat(200)],
  ['nothing where the line began out of sight', `${'x'.repeat(100_000)}\n`, null],
  ['a line after one that began out of sight', `${'x'.repeat(100_000)}\nlast\n`, 'last'],
])('lastLine gives %s', async (_name, content, line) => {
  expect(await lastLine(fileWith(content))).toBe(line);
});
