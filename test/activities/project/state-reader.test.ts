// Guarantees of reading a state file's bytes: anything but a sound file is not ok, says why, and maps to blocked.
import { expect, test } from 'vitest';
import { readStateBytes } from '../../../activities/project/state-reader.js';
import { nextOf } from '../../../machines/contract/state-file.js';

const path = 'docs/.pdlc-state/F1.json';
const sound = { feature_id: 'F1', current_stage: 'design', next_step: 'pdlc-tdd', history: [{ stage: 'design', done_at: '2026-01-01T00:00:00Z' }] };
const json = JSON.stringify(sound);

test.each([
  ['plain', json],
  ['with CRLF', JSON.stringify(sound, null, 2).replaceAll('\n', '\r\n')],
])('a sound file is read: %s', (_, text) => {
  const reading = readStateBytes(Buffer.from(text), path);
  expect(reading).toEqual({ ok: true, state: sound });
  expect(nextOf(reading)).toEqual({ kind: 'stage', stage: 'tdd' });
});

test.each<[string, Buffer | null, RegExp]>([
  ['a missing file', null, /^none$/],
  ['an empty file', Buffer.alloc(0), /^an empty file in docs/],
  ['blanks', Buffer.from(' \r\n\t'), /^an empty file/],
  ['a truncated file', Buffer.from(json.slice(0, -5)), /^text that is not JSON/],
  ['an array', Buffer.from('[]'), /^an array/],
  ['null', Buffer.from('null'), /^null/],
  ['a number', Buffer.from('3'), /^a number/],
  ['a byte-order mark', Buffer.from(`\uFEFF${json}`), /^a byte-order mark/],
  ['UTF-16', Buffer.from(`\uFEFF${json}`, 'utf16le'), /^UTF-16 text/],
  ['bytes that are not UTF-8', Buffer.from([...Buffer.from(json.slice(0, -1)), 0xff, 0x7d]), /^bytes that are not UTF-8/],
  ['10 MB', Buffer.alloc(10_000_000, 0x20), /^10000000 bytes, more than/],
  ['an unknown field', Buffer.from(JSON.stringify({ ...sound, surprise: 1 })), /^unknown field "surprise"/],
  ['a wrong type', Buffer.from(JSON.stringify({ ...sound, next_step: 3 })), /^next_step: /],
  ['a wrong type inside', Buffer.from(JSON.stringify({ ...sound, history: [{ stage: 1, done_at: '' }] })), /^history\.0\.stage: /],
  ['no current stage', Buffer.from('{"feature_id":"F1"}'), /^current_stage: /],
  ['text behind the object', Buffer.from(`${json}x`), /^text that is not JSON/],
  ['deep nesting', Buffer.from('['.repeat(100_000)), /^text that is not JSON/],
])('%s is not ok, says so, and means blocked', (_, bytes, found) => {
  const reading = readStateBytes(bytes, path);
  expect(reading).toMatchObject({ ok: false, found: expect.stringMatching(found) });
  expect(nextOf(reading)).toMatchObject({ kind: 'blocked', reason: expect.stringMatching(/^state file: expected .*, found /) });
});
