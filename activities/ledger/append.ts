// Owns writing a ledger: only ever longer, synced before it is answered. Never changes or removes a whole line; the caller guarantees one writer at a time.
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { type LedgerEntry, ledgerEntrySchema } from '../../machines/contract/ledger.js';
import { encodeEntry, genesisOf } from './chain.js';
import { type Head, writeHead } from './head.js';
import { type LedgerPrefix, readLedger } from './read.js';

/** Where to append what; `runKey` is the run that the ledger belongs to. */
export type AppendRequest = { file: string; entries: readonly LedgerEntry[]; runKey: string };

/**
 * Appends entries and syncs them; answers with the last number and digest of the file. Safe to repeat because entries that are already there are only
 * written over with the bytes that they have. Throws `ledger_broken` when they differ, leave a gap, or the file is damaged or has lost entries, `invalid_input` when one is no entry, and
 * `disk_failed` when the file cannot be read or written.
 */
export async function appendEntries({ file, entries, runKey }: AppendRequest): Promise<{ seq: number; digest: string }> {
  const known = await readLedger(file, runKey);
  if (!known.ok && (known.kind === 'broken' || known.kind === 'cut')) throw broken(file, known.problem);
  if (!known.ok && known.kind === 'unreadable') throw new PdlcError('disk_failed', `${file}: ${known.problem}`);
  const added = fitting(file, known, entries);
  const next = chain([...known.entries, ...added], entries[0]?.seq ?? 1, genesisOf(runKey));
  const head = { seq: known.entries.length + added.length, digest: next.digest };
  if (entries.length > 0) await write(file, { ...next, head }, known);
  return head;
}

/** The entries that are not there yet. */
function fitting(file: string, known: LedgerPrefix, entries: readonly LedgerEntry[]): LedgerEntry[] {
  const added: LedgerEntry[] = [];
  for (const given of entries) {
    const entry = checked(file, given);
    const there = known.entries[entry.seq - 1];
    if (there && encodeEntry(there, '').line !== encodeEntry(entry, '').line)
      throw broken(file, `seq ${entry.seq}: expected the entry that is there, found another one to append`);
    if (there) continue;
    const next = known.entries.length + added.length + 1;
    if (entry.seq !== next) throw broken(file, `expected seq ${next} next, found ${entry.seq}`);
    added.push(entry);
  }
  return added;
}

/** `lines` are to stand at the byte `from`; `digest` is the last one of the file. */
type Chained = { from: number; lines: Buffer; digest: string };

function chain(whole: readonly LedgerEntry[], firstSeq: number, genesis: string): Chained {
  const lines: Buffer[] = [];
  const next = { from: 0, digest: genesis };
  for (const entry of whole) {
    const { line, digest } = encodeEntry(entry, next.digest);
    const bytes = Buffer.from(`${line}\n`);
    if (entry.seq < firstSeq) next.from += bytes.length;
    else lines.push(bytes);
    next.digest = digest;
  }
  return { ...next, lines: Buffer.concat(lines) };
}

function checked(file: string, given: LedgerEntry): LedgerEntry {
  const parsed = ledgerEntrySchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new PdlcError('invalid_input', `${file}: expected a ledger entry to append, found seq ${given.seq} of kind ${given.kind} that does not fit`, {
    cause: parsed.error,
  });
}

async function write(file: string, { from, lines, head }: Chained & { head: Head }, known: LedgerPrefix): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      // Cuts off a line that a crash left unfinished; its entry is among those that are given again.
      await handle.truncate(known.bytes);
      // Entries that are there are written over with the same bytes: after a sync that failed, another one alone says well for what never reached the disk.
      for (let at = 0; at < lines.length; ) at += (await handle.write(lines, at, lines.length - at, from + at)).bytesWritten;
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await writeHead(file, head);
    if (from === 0) await syncFolder(dirname(file));
  } catch (error) {
    throw new PdlcError('disk_failed', `${file}: expected to write the ledger, found ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Makes names in a folder last through a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function broken(file: string, found: string): PdlcError {
  return new PdlcError('ledger_broken', `${file}: ${found}`);
}
