// Guarantees of writing a ledger again: whatever was damaged, it comes back byte-equal from the run's past, nothing is thrown away, and what nobody has any more is said.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendEntries } from '../../../activities/ledger/append.js';
import { headFileOf } from '../../../activities/ledger/head.js';
import type { Past } from '../../../activities/ledger/past.js';
import { readLedger } from '../../../activities/ledger/read.js';
import { appendOrRebuild, rebuildLedger } from '../../../activities/ledger/rebuild.js';
import { type LedgerEntry, ledgerEntrySchema } from '../../../machines/contract/ledger.js';
import { reportOf } from '../../../machines/contract/report.js';
import { tempDir } from '../../helpers/temp.js';
import { attempt, judged, numbered, over, settled, started } from './entries.js';

const runKey = 'run';
const entries = numbered([started, attempt('tdd', 1), judged('tdd', 1, { kind: 'reject' }), settled('tdd', false), over('aborted')]);
const pastOf = (given: readonly LedgerEntry[]) => async (): Promise<Past> => ({ runKey, hostId: 'h', entries: [...given] });

type Written = { file: string; bytes: Buffer; head: Buffer; older: { bytes: Buffer; head: Buffer } };

async function written(all: readonly LedgerEntry[] = entries): Promise<Written> {
  const file = join(tempDir('ledger é'), 'ledger.jsonl');
  const now = () => ({ bytes: readFileSync(file), head: readFileSync(headFileOf(file)) });
  await appendEntries({ file, entries: all.slice(0, 1), runKey });
  const older = now();
  await appendEntries({ file, entries: all.slice(1), runKey });
  return { file, ...now(), older };
}

const others = numbered([started, attempt('tdd', 2), judged('tdd', 2, { kind: 'pass' })]);

/** Every kind of damage that a disk, a backup or a hand can do; `sound`: it cannot be told from the file and its head alone. */
const damages: [string, (scene: Written) => Promise<void> | void, { sound?: true; keeps?: false }?][] = [
  ['a torn tail', ({ file, bytes }) => writeFileSync(file, bytes.subarray(0, -9))],
  ['a tail of zero bytes', ({ file, bytes }) => writeFileSync(file, Buffer.concat([bytes.subarray(0, -40), Buffer.alloc(40)]))],
  ['a flipped bit', ({ file, bytes }) => writeFileSync(file, flip(bytes, 500))],
  ['an old copy', ({ file, older }) => writeFileSync(file, older.bytes)],
  ['an old copy with the head of its time', ({ file, older }) => restore(file, older), { sound: true }],
  ['length zero', ({ file }) => writeFileSync(file, '')],
  ['a lost file', ({ file }) => rmSync(file), { keeps: false }],
  ['a lost folder', ({ file }) => rmSync(dirname(file), { recursive: true }), { keeps: false }],
  ['the ledger of another run', ({ file }) => writeOther(file, { entries, runKey: 'another' })],
  ['other entries that are well chained', ({ file }) => writeOther(file, { entries: others, runKey }), { sound: true }],
  ['an entry that the run never had', ({ file }) => appendAll(file, { kind: 'limits.changed', seq: 6, at: '', limits: limitsOf() }), { sound: true }],
  ['a head of length zero', ({ file }) => writeFileSync(headFileOf(file), ''), { keeps: false }],
  ['a flipped bit in the head', ({ file, head }) => writeFileSync(headFileOf(file), flip(head, 20)), { keeps: false }],
];

describe.each(damages)('%s', (_name, damage, { sound = false, keeps = true } = {}) => {
  test('is found, and the ledger comes back byte-equal with nothing thrown away', async () => {
    const scene = await written();
    const { file, bytes, head } = scene;
    await damage(scene);
    const damaged = existsSync(file) ? readFileSync(file) : null;
    expect((await readLedger(file, runKey)).ok).toBe(sound);
    const { kept, problem, ...rest } = await rebuildLedger({ file, runKey, past: pastOf(entries) });
    expect(rest).toEqual({ entries: entries.length });
    expect(problem).toMatch(/expected .*found /);
    expect([readFileSync(file), readFileSync(headFileOf(file))]).toEqual([bytes, head]);
    expect(kept === null ? null : readFileSync(kept)).toEqual(keeps ? damaged : null);
    expect(readdirSync(dirname(file)).length).toBe(keeps ? 3 : 2);
  });

  test('costs an act that writes nothing: it writes again and goes on, and no counter is lower', async () => {
    const scene = await written(entries.slice(0, 4));
    await damage(scene);
    const said = await appendOrRebuild({ file: scene.file, entries: entries.slice(4), runKey }, pastOf(entries));
    expect(said).toMatch(/written again from the run's history/);
    const { entries: now, ok } = await readLedger(scene.file, runKey);
    expect([ok, reportOf(now)]).toEqual([true, reportOf(entries)]);
  });
});

test('a cut and a flipped bit are found at every byte, and mended wherever they are', async () => {
  const few = numbered([dispatched(1), dispatched(2)]);
  const { file, bytes, head } = await written(few);
  for (let place = 0; place < bytes.length; place += 1) {
    for (const damaged of [bytes.subarray(0, place), flip(bytes, place)]) {
      writeFileSync(file, damaged);
      expect((await readLedger(file, runKey)).ok).toBe(false);
      if (place % 41 > 0 && place < bytes.length - 1) continue; // finding is cheap, mending waits for the disk
      const { kept } = await rebuildLedger({ file, runKey, past: pastOf(few) });
      expect([readFileSync(file), readFileSync(headFileOf(file))]).toEqual([bytes, head]);
      rmSync(kept ?? '');
    }
  }
});

test('a sound ledger is left as it is, and one that was never begun is not made', async () => {
  const { file, bytes } = await written();
  expect(await rebuildLedger({ file, runKey, past: pastOf(entries) })).toEqual({ entries: 5, problem: null, kept: null });
  expect([readFileSync(file), readdirSync(dirname(file)).length]).toEqual([bytes, 2]);
  const none = join(tempDir('ledger'), 'runs', 'ledger.jsonl');
  expect(await rebuildLedger({ file: none, runKey, past: async () => null })).toEqual({ entries: 0, problem: null, kept: null });
  expect(existsSync(dirname(none))).toBe(false);
});

test('entries that the server has forgotten are taken from the sound part of the file; without them nothing is changed', async () => {
  const { file, bytes } = await written();
  const lastThree = pastOf(entries.slice(2));
  writeFileSync(file, bytes.subarray(0, -5));
  expect(await rebuildLedger({ file, runKey, past: lastThree })).toMatchObject({ entries: 5 });
  expect(readFileSync(file)).toEqual(bytes);
  const damaged = flip(bytes, 10);
  writeFileSync(file, damaged);
  await expect(rebuildLedger({ file, runKey, past: lastThree })).rejects.toMatchObject({
    kind: 'ledger_broken',
    message: expect.stringMatching(/expected entries 1 to 2 in it, which the server no longer has, found 0 \(line 1: .*from a backup/),
  });
  expect([readFileSync(file), readdirSync(dirname(file)).length]).toEqual([damaged, 3]);
});

test('a writer that meets a rebuild gives the same bytes in the end', async () => {
  const { file, bytes } = await written(entries.slice(0, 3));
  writeFileSync(file, bytes.subarray(0, -5));
  const append = () => appendOrRebuild({ file, entries: entries.slice(3), runKey }, pastOf(entries));
  const rebuild = () => rebuildLedger({ file, runKey, past: pastOf(entries) });
  await Promise.all([append(), rebuild(), append(), rebuild()]);
  expect(readFileSync(file)).toEqual((await written()).bytes);
  expect((await readLedger(file, runKey)).ok).toBe(true);
});

test('something that is no file may be tried again after a person looked', async () => {
  const file = join(tempDir('ledger'), 'ledger.jsonl');
  mkdirSync(file);
  await expect(rebuildLedger({ file, runKey, past: pastOf(entries) })).rejects.toMatchObject({ kind: 'disk_failed' });
});

function dispatched(step: number) {
  return { kind: 'stage.dispatched', stage: 'tdd', step, entry: 'work' } as const;
}

function flip(bytes: Buffer, place: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[place] = (flipped[place] ?? 0) ^ 1;
  return flipped;
}

function restore(file: string, { bytes, head }: { bytes: Buffer; head: Buffer }): void {
  writeFileSync(file, bytes);
  writeFileSync(headFileOf(file), head);
}

async function writeOther(file: string, other: { entries: LedgerEntry[]; runKey: string }): Promise<void> {
  rmSync(file);
  rmSync(headFileOf(file));
  await appendEntries({ file, ...other });
}

async function appendAll(file: string, entry: object): Promise<void> {
  const { entries: now } = await readLedger(file, runKey);
  await appendEntries({ file, entries: [ledgerEntrySchema.parse({ ...entry, seq: now.length + 1 })], runKey });
}

function limitsOf() {
  return reportOf(entries).limits;
}
