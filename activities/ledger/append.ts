// Owns writing a ledger: only ever longer, synced before it is answered. Never changes or removes a whole line; the caller guarantees one writer at a time.
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { type LedgerEntry, ledgerEntrySchema } from '../../machines/contract/ledger.js';
import { encodeEntry, genesisOf } from './chain.js';
import { type LedgerPrefix, readLedger } from './read.js';

/** Where to append what; `runKey` is the run that the ledger belongs to. */
export type AppendRequest = { file: string; entries: readonly LedgerEntry[]; runKey: string };

/**
 * Appends entries and syncs them; answers with the last number and digest of the file. Safe to repeat because entries that are already there are skipped
 * when they are byte-equal. Throws `ledger_broken` when they differ, leave a gap or the file is damaged, `invalid_input` when one is no entry, and
 * `disk_failed` when the file cannot be read or written.
 */
export async function appendEntries({ file, entries, runKey }: AppendRequest): Promise<{ seq: number; digest: string }> {
  const known = await readLedger(file, runKey);
  if (!known.ok && known.kind === 'broken') throw broken(file, known.problem);
  if (!known.ok && known.kind === 'unreadable') throw new PdlcError('disk_failed', `${file}: ${known.problem}`);
  const next = chain(file, { known, entries, genesis: genesisOf(runKey) });
  if (entries.length > 0) await write(file, next.lines, known);
  return { seq: next.seq, digest: next.digest };
}

type Chained = { lines: string; seq: number; digest: string };

function chain(file: string, { known, entries, genesis }: { known: LedgerPrefix; entries: readonly LedgerEntry[]; genesis: string }): Chained {
  const next: Chained = { lines: '', seq: known.entries.length, digest: known.digest ?? genesis };
  for (const given of entries) {
    const entry = checked(file, given);
    const there = known.entries[entry.seq - 1];
    if (there) {
      if (encodeEntry(there, '').line !== encodeEntry(entry, '').line)
        throw broken(file, `seq ${entry.seq}: expected the entry that is there, found another one to append`);
      continue;
    }
    if (entry.seq !== next.seq + 1) throw broken(file, `expected seq ${next.seq + 1} next, found ${entry.seq}`);
    const { line, digest } = encodeEntry(entry, next.digest);
    next.lines += `${line}\n`;
    next.seq = entry.seq;
    next.digest = digest;
  }
  return next;
}

function checked(file: string, given: LedgerEntry): LedgerEntry {
  const parsed = ledgerEntrySchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new PdlcError('invalid_input', `${file}: expected a ledger entry to append, found seq ${given.seq} of kind ${given.kind} that does not fit`, {
    cause: parsed.error,
  });
}

async function write(file: string, lines: string, known: LedgerPrefix): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'a', 0o600);
    try {
      // Cuts off a line that a crash left unfinished; its entry is among those that are given again.
      await handle.truncate(known.bytes);
      await handle.appendFile(lines);
      // Also when nothing is new: the call before this one may have died between writing and syncing.
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (known.bytes === 0) await syncFolder(dirname(file));
  } catch (error) {
    throw new PdlcError('disk_failed', `${file}: expected to write the ledger, found ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function broken(file: string, found: string): PdlcError {
  return new PdlcError('ledger_broken', `${file}: ${found}; keep the file for inspection, move it aside, and the run's history in Temporal can write it again`);
}
