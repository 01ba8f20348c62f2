// Guarantees of reading a ledger: every damage is found and said, and what stands before it is still given.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendEntries } from '../../../activities/ledger/append.js';
import { encodeEntry, genesisOf } from '../../../activities/ledger/chain.js';
import { headFileOf } from '../../../activities/ledger/head.js';
import { readLedger, readReport } from '../../../activities/ledger/read.js';
import { reportOf } from '../../../machines/contract/report.js';
import { tempDir } from '../../helpers/temp.js';
import { attempt, judged, numbered, over, settled, started } from './entries.js';

const runKey = 'run';
const entries = numbered([started, attempt('tdd', 1), judged('tdd', 1, { kind: 'reject' }), settled('tdd', false), over('aborted')]);

async function written(): Promise<{ file: string; bytes: Buffer }> {
  const file = join(tempDir('ledger ü'), 'ledger.jsonl');
  await appendEntries({ file, entries, runKey });
  return { file, bytes: readFileSync(file) };
}

test('a flipped bit anywhere is found, and only entries before it are given', async () => {
  const { file, bytes } = await written();
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (place, bit) => {
      const damaged = Buffer.from(bytes);
      damaged[place] = (damaged[place] ?? 0) ^ (1 << bit);
      writeFileSync(file, damaged);
      const reading = await readLedger(file, runKey);
      const whole = bytes.subarray(0, place).filter((byte) => byte === 0x0a).length;
      expect(reading.ok).toBe(false);
      expect(reading.entries).toEqual(entries.slice(0, whole));
    }),
    { numRuns: 200 },
  );
});

test('a ledger cut anywhere is found, between two lines as well, and the entries of its whole lines are given', async () => {
  const { file, bytes } = await written();
  const lineEnds = [...bytes.keys()].filter((place) => bytes[place] === 0x0a).slice(0, -1);
  for (const length of [...lineEnds.map((place) => place + 1), ...[...bytes.keys()].filter((place) => place % 19 === 0)]) {
    writeFileSync(file, bytes.subarray(0, length));
    const whole = bytes.subarray(0, length).filter((byte) => byte === 0x0a).length;
    expect(await readLedger(file)).toMatchObject({ ok: false, kind: 'cut', entries: entries.slice(0, whole) });
  }
});

test('without a head, as older builds left it, a cut between two lines is no damage', async () => {
  const { file, bytes } = await written();
  rmSync(headFileOf(file));
  for (let length = 1; length < bytes.length; length += 13) {
    writeFileSync(file, bytes.subarray(0, length));
    const whole = bytes.subarray(0, length).filter((byte) => byte === 0x0a).length;
    const atLineEnd = bytes[length - 1] === 0x0a;
    expect(await readLedger(file)).toMatchObject(atLineEnd ? { ok: true } : { ok: false, kind: 'torn', entries: entries.slice(0, whole) });
  }
});

test('a removed, a doubled and a moved line are found', async () => {
  const { file, bytes } = await written();
  const [a = '', b = '', c = '', ...rest] = bytes.toString().split('\n');
  for (const lines of [
    [a, c, ...rest],
    [a, b, b, c, ...rest],
    [a, c, b, ...rest],
    [b, c, ...rest],
  ]) {
    writeFileSync(file, lines.join('\n'));
    expect(await readLedger(file, runKey)).toMatchObject({ ok: false, kind: 'broken' });
  }
});

test('the ledger of another run is not taken for this one', async () => {
  const { file } = await written();
  expect(await readLedger(file, 'another run')).toMatchObject({ ok: false, kind: 'broken', entries: [] });
});

test('a well chained line that is no entry is refused', async () => {
  const { file } = await written();
  const line = (entry: object): string => `${encodeEntry(entry, genesisOf(runKey)).line}\n`;
  for (const entry of [{ kind: 'made.up', seq: 1, at: '' }, { ...entries[1] }, { ...entries[0], limits: null }]) {
    writeFileSync(file, line(entry));
    expect(await readLedger(file, runKey)).toMatchObject({ ok: false, kind: 'broken', entries: [] });
  }
});

test('missing, empty, and something that is no file are three different things', async () => {
  const folder = tempDir('ledger');
  writeFileSync(join(folder, 'empty'), '');
  const kinds = await Promise.all(['none', 'empty', '.'].map(async (name) => readLedger(join(folder, name))));
  expect(kinds.map((reading) => (reading.ok ? 'ok' : reading.kind))).toEqual(['missing', 'empty', 'unreadable']);
});

test('the report is the fold over the valid part, with what is wrong behind it', async () => {
  const { file, bytes } = await written();
  expect(await readReport(file)).toEqual({ report: reportOf(entries), problem: null });
  writeFileSync(file, bytes.subarray(0, -1));
  expect(await readReport(file)).toEqual({
    report: reportOf(entries.slice(0, -1)),
    problem: 'expected the 5 entries that were written, found 4 (line 5: expected a line break at its end, found the end of the file)',
  });
  expect(await readReport(join(file, '..', 'none'))).toEqual({ report: null, problem: 'expected a ledger, found no file' });
});

test('an entry that only another version knows is said to be one, and nothing is appended behind it', async () => {
  const { file } = await written();
  const known = await readLedger(file, runKey);
  const { line } = encodeEntry({ kind: 'agent.slept', seq: entries.length + 1, at: '2027-01-01T00:00:00.000Z' }, known.digest ?? '');
  writeFileSync(file, `${readFileSync(file, 'utf8')}${line}\n`);
  const before = readFileSync(file, 'utf8');
  expect(await readLedger(file, runKey)).toMatchObject({
    ok: false,
    kind: 'broken',
    problem: expect.stringContaining('a version other than this one'),
    entries,
  });
  await expect(appendEntries({ file, entries: [...entries, ...entries], runKey })).rejects.toMatchObject({ kind: 'ledger_broken' });
  expect(readFileSync(file, 'utf8')).toBe(before);
});
