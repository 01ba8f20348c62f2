// Owns reading a ledger: chain and schema are verified line by line, and what is wrong is said together with the part before it. Never writes.
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { engine } from '../../machines/contract/engine.js';
import { type LedgerEntry, ledgerEntrySchema } from '../../machines/contract/ledger.js';
import { type Report, reportOf } from '../../machines/contract/report.js';
import { encodeEntry, genesisOf } from './chain.js';
import { type Head, headFileOf, readHead } from './head.js';

/** Largest ledger that is read, in bytes. */
const ledgerBytesMax = 268_435_456;

/**
 * What can be wrong: `torn` is a last line that a crash cut short before it was synced, `cut` means that synced entries are gone (a truncated file, an old copy, no
 * file any more), `broken` is a line, or a head, whose bytes, number or content are not what they must be.
 */
export type LedgerFault = 'missing' | 'unreadable' | 'empty' | 'torn' | 'cut' | 'broken';

/** The valid part of a ledger: its entries, the digest of the last one (null: none) and its length in bytes. */
export type LedgerPrefix = { entries: LedgerEntry[]; digest: string | null; bytes: number };

/** A whole ledger, or its valid part and in words what is wrong behind it. */
export type LedgerReading = ({ ok: true } | { ok: false; kind: LedgerFault; problem: string }) & LedgerPrefix;

/** Reads and verifies a ledger file; never throws. With `runKey`, that the chain begins at this run is verified as well. */
export async function readLedger(file: string, runKey?: string): Promise<LedgerReading> {
  // Before the file: a writer syncs the file first, so what the head names is in there by now.
  const head = await readHead(file);
  const reading = await readLines(file, { genesis: runKey === undefined ? null : genesisOf(runKey), head: head === 'damaged' ? null : head });
  if (head === 'damaged' && reading.ok)
    return { ...reading, ok: false, kind: 'broken', problem: `expected the last number and digest in ${headFileOf(file)}, found something else` };
  const isCut = head !== null && head !== 'damaged' && reading.entries.length < head.seq;
  if (!isCut || (!reading.ok && (reading.kind === 'broken' || reading.kind === 'unreadable'))) return reading;
  const found = reading.ok ? `${reading.entries.length}` : `${reading.entries.length} (${reading.problem})`;
  return { ...reading, ok: false, kind: 'cut', problem: `expected the ${head.seq} entries that were written, found ${found}` };
}

/** The report of a ledger's valid part (null: no entry is valid) and what is wrong behind it, if anything is. */
export async function readReport(file: string): Promise<{ report: Report | null; problem: string | null }> {
  const reading = await readLedger(file);
  return { report: reading.entries.length > 0 ? reportOf(reading.entries) : null, problem: reading.ok ? null : reading.problem };
}

async function contentOf(file: string): Promise<Buffer | { kind: LedgerFault; problem: string }> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return { kind: 'unreadable', problem: 'expected a file, found something else' };
    if (found.size > ledgerBytesMax) return { kind: 'unreadable', problem: `expected at most ${ledgerBytesMax} bytes, found ${found.size}` };
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return code === 'ENOENT'
      ? { kind: 'missing', problem: 'expected a ledger, found no file' }
      : { kind: 'unreadable', problem: `expected a readable file, found ${code}` };
  }
}

/** What a ledger must begin with and must hold; null: not known. */
type Anchors = { genesis: string | null; head: Head | null };

async function readLines(file: string, anchors: Anchors): Promise<LedgerReading> {
  const none: LedgerPrefix = { entries: [], digest: null, bytes: 0 };
  const content = await contentOf(file);
  if (!Buffer.isBuffer(content)) return { ok: false, ...content, ...none };
  if (content.length === 0) return { ok: false, kind: 'empty', problem: 'expected at least one line, found an empty file', ...none };
  return verify(content, anchors);
}

function verify(content: Buffer, { genesis, head }: Anchors): LedgerReading {
  const prefix: LedgerPrefix = { entries: [], digest: genesis, bytes: 0 };
  while (prefix.bytes < content.length) {
    const at = `line ${prefix.entries.length + 1}`;
    const end = content.indexOf('\n', prefix.bytes);
    if (end < 0) return { ok: false, kind: 'torn', problem: `${at}: expected a line break at its end, found the end of the file`, ...prefix };
    const line = readLine(content.subarray(prefix.bytes, end), prefix, head);
    if ('found' in line) return { ok: false, kind: 'broken', problem: `${at}: ${line.found}`, ...prefix };
    prefix.entries.push(line.entry);
    prefix.digest = line.digest;
    prefix.bytes = end + 1;
  }
  return { ok: true, ...prefix };
}

const lineSchema = z.looseObject({ prev: z.string(), digest: z.string() });

function readLine(bytes: Buffer, { entries, digest: last }: LedgerPrefix, head: Head | null): { entry: LedgerEntry; digest: string } | { found: string } {
  const line = lineSchema.safeParse(parseJson(bytes.toString()));
  if (!line.success) return { found: 'expected a chained entry, found something else' };
  const { prev, digest, ...content } = line.data;
  if (prev !== (last ?? prev)) return { found: 'expected the digest of the line before, found another one' };
  if (!bytes.equals(Buffer.from(encodeEntry(content, prev).line)))
    return { found: `expected the content that digest ${digest.slice(0, 12)} names, found another one` };
  const entry = ledgerEntrySchema.safeParse(content);
  if (!entry.success)
    return {
      found: `expected a ledger entry, found one that does not fit: ${entry.error.issues[0]?.path.join('.')}: ${entry.error.issues[0]?.message}. Its digest is right: a version other than this one (pdlc ${engine.version}) wrote it; install that one`,
    };
  if (entry.data.seq !== entries.length + 1) return { found: `expected seq ${entries.length + 1}, found ${entry.data.seq}` };
  if (head?.seq === entry.data.seq && head.digest !== digest) return { found: 'expected the digest that its head file names, found another one' };
  return { entry: entry.data, digest };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
