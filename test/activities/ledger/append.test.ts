// Guarantees of writing a ledger: repeatable, only ever longer, refused as soon as anything does not fit.
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendEntries } from '../../../activities/ledger/append.js';
import { headFileOf, readHead } from '../../../activities/ledger/head.js';
import { readLedger } from '../../../activities/ledger/read.js';
import { tempDir } from '../../helpers/temp.js';
import { attempt, captured, judged, numbered, over, settled, started } from './entries.js';

const runKey = '11111111-run';
const entries = numbered([started, attempt('tdd', 1), captured('tdd', 1), judged('tdd', 1, { kind: 'pass' }), settled('tdd', true), over('review_done')]);
const fresh = (): string => join(tempDir('ledger é'), 'runs', 'one', 'ledger.jsonl');
const mode = (path: string): number => statSync(path).mode & 0o777;

test('entries are there after appending, in a file and a folder of the owner only', async () => {
  const file = fresh();
  const end = await appendEntries({ file, entries, runKey });
  expect(await readLedger(file, runKey)).toEqual({ ok: true, entries, digest: end.digest, bytes: statSync(file).size });
  expect({ seq: end.seq, file: mode(file), folder: mode(join(file, '..')) }).toEqual({ seq: 6, file: 0o600, folder: 0o700 });
});

test('appending in any pieces, with any repeats, gives the same bytes', async () => {
  const whole = fresh();
  const end = await appendEntries({ file: whole, entries, runKey });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(entries.length), fc.nat(entries.length)), { maxLength: 4 }), async (pieces) => {
      const file = fresh();
      let known = 0;
      for (const [from, to] of [...pieces, [0, entries.length] as const]) {
        const start = Math.min(from, known);
        known = Math.max(known, to);
        await appendEntries({ file, entries: entries.slice(start, to), runKey });
      }
      expect(await appendEntries({ file, entries, runKey })).toEqual(end);
      expect(readFileSync(file)).toEqual(readFileSync(whole));
    }),
    { numRuns: 20 },
  );
});

test('the order of keys in an entry makes no difference', async () => {
  const [first] = entries;
  const [one, other] = [fresh(), fresh()];
  const turned = Object.fromEntries(Object.entries(first ?? {}).reverse()) as typeof first; // the same entry, its keys backwards
  const ends = await Promise.all([
    appendEntries({ file: one, entries: first ? [first] : [], runKey }),
    appendEntries({ file: other, entries: turned ? [turned] : [], runKey }),
  ]);
  expect(ends[0]).toEqual(ends[1]);
});

test('nothing to append makes no file', async () => {
  const file = fresh();
  await appendEntries({ file, entries: [], runKey });
  expect((await readLedger(file)).ok).toBe(false);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});

test('a last line cut short by a crash is cut off at every possible place, and written again', async () => {
  const whole = fresh();
  await appendEntries({ file: whole, entries: entries.slice(0, 3), runKey });
  const bytes = readFileSync(whole);
  const secondBegins = bytes.indexOf('\n') + 1;
  for (let length = secondBegins; length < bytes.length; length += 17) {
    const file = fresh();
    await appendEntries({ file, entries: entries.slice(0, 1), runKey });
    writeFileSync(file, bytes.subarray(0, length));
    await appendEntries({ file, entries: entries.slice(1, 3), runKey });
    expect(readFileSync(file)).toEqual(bytes);
  }
});

test.each([0, 4_096])('a tail of %i zero bytes, as a power loss leaves it, is no entry', async (count) => {
  const file = fresh();
  await appendEntries({ file, entries: entries.slice(0, 2), runKey });
  appendFileSync(file, Buffer.alloc(count));
  await appendEntries({ file, entries: entries.slice(2), runKey });
  expect(await readLedger(file, runKey)).toMatchObject({ ok: true, entries });
});

test('a ledger that a crash left at length zero is begun again from its first entry only', async () => {
  const file = fresh();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  await expect(appendEntries({ file, entries: entries.slice(1), runKey })).rejects.toMatchObject({ kind: 'ledger_broken' });
  await appendEntries({ file, entries, runKey });
  expect(await readLedger(file, runKey)).toMatchObject({ ok: true, entries });
});

test('a ledger that lost entries that were written is not gone on with, not even from its first entry', async () => {
  const file = fresh();
  await appendEntries({ file, entries: entries.slice(0, 2), runKey });
  const older = readFileSync(file);
  await appendEntries({ file, entries: entries.slice(2, 4), runKey });
  for (const damage of [() => writeFileSync(file, older), () => truncateSync(file, 0), () => rmSync(file)]) {
    damage();
    await expect(appendEntries({ file, entries: entries.slice(4), runKey })).rejects.toMatchObject({ kind: 'ledger_broken' });
    await expect(appendEntries({ file, entries, runKey })).rejects.toMatchObject({ kind: 'ledger_broken' });
  }
});

test('a head that a crash left behind is caught up with', async () => {
  const file = fresh();
  await appendEntries({ file, entries: entries.slice(0, 2), runKey });
  const behind = readFileSync(headFileOf(file));
  const end = await appendEntries({ file, entries: entries.slice(2), runKey });
  writeFileSync(headFileOf(file), behind);
  expect(await appendEntries({ file, entries: entries.slice(2), runKey })).toEqual(end);
  expect(await readHead(file)).toEqual(end);
});

test('what does not fit is refused and changes no byte', async () => {
  const file = fresh();
  await appendEntries({ file, entries: entries.slice(0, 3), runKey });
  const before = readFileSync(file);
  const other = { ...entries[1], swept: 7 } as (typeof entries)[number]; // the same number, another content
  const refused = [
    { entries: [other], runKey },
    { entries: entries.slice(4), runKey },
    { entries: entries.slice(3), runKey: 'another run' },
  ];
  for (const request of refused) await expect(appendEntries({ file, ...request })).rejects.toMatchObject({ name: 'PdlcError', kind: 'ledger_broken' });
  expect(readFileSync(file)).toEqual(before);
});

test('a damaged ledger is never written to', async () => {
  const file = fresh();
  await appendEntries({ file, entries: entries.slice(0, 3), runKey });
  const damaged = readFileSync(file);
  damaged[40] = (damaged[40] ?? 0) ^ 1;
  writeFileSync(file, damaged);
  await expect(appendEntries({ file, entries: entries.slice(3), runKey })).rejects.toMatchObject({ kind: 'ledger_broken' });
  expect(readFileSync(file)).toEqual(damaged);
});

test('an entry that is none is refused before anything is written', async () => {
  const file = fresh();
  const wrong = { ...entries[0], limits: null } as unknown as (typeof entries)[number]; // what a bug could hand over
  await expect(appendEntries({ file, entries: [wrong], runKey })).rejects.toMatchObject({ kind: 'invalid_input' });
  expect((await readLedger(file)).ok).toBe(false);
});

test('a place that cannot be read or written may be tried again', async () => {
  const folder = tempDir('ledger');
  writeFileSync(join(folder, 'file'), '');
  for (const file of [folder, join(folder, 'file', 'ledger.jsonl')]) {
    await expect(appendEntries({ file, entries, runKey })).rejects.toMatchObject({ kind: 'disk_failed' });
  }
});
