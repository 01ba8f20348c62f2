// Owns writing a damaged ledger again from the run's past, byte for byte; the damaged file is kept beside it.
// Safe beside a writer: both write the same entries in the same order, and the new file takes the old one's place in one step.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import type { LedgerEntry } from '../../machines/contract/ledger.js';
import { hasCode } from '../host/files.js';
import { type AppendRequest, appendEntries, syncFolder } from './append.js';
import { headFileOf } from './head.js';
import type { Past } from './past.js';
import { type LedgerReading, readLedger } from './read.js';

/** Most damaged files that are kept of one ledger. */
const keptMax = 1_000;

/** A ledger after it was looked at: how many entries it has, what was wrong with it (null: nothing, and no byte was changed), and where the damaged file is kept (null: there was none). */
export type Rebuilt = { entries: number; problem: string | null; kept: string | null };

/**
 * Makes a ledger what the run's past says that it is. `past` is read after the file, so that every sound line of the file is in it. Entries that the server has
 * forgotten are taken from the sound part of the file. Throws `ledger_broken` when neither has them, `disk_failed` when the file cannot be read or written.
 */
export async function rebuildLedger({ file, runKey, past }: { file: string; runKey: string; past: () => Promise<Past | null> }): Promise<Rebuilt> {
  const found = await readLedger(file, runKey);
  if (!found.ok && found.kind === 'unreadable') throw new PdlcError('disk_failed', `${file}: ${found.problem}`);
  const entries = join(file, found, (await past())?.entries ?? []);
  if (entries.length === 0) return { entries: 0, problem: null, kept: null };
  const fresh = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await appendEntries({ file: fresh, entries, runKey });
    const isSame = (await contentOf(file))?.equals((await contentOf(fresh)) ?? Buffer.alloc(0)) ?? false;
    if (isSame && found.ok) return { entries: entries.length, problem: null, kept: null };
    const kept = isSame ? null : await keepAside(file);
    await rename(fresh, file);
    await rename(headFileOf(fresh), headFileOf(file));
    await syncFolder(dirname(file));
    return { entries: entries.length, problem: found.ok ? `expected the ${entries.length} entries of the run's history, found others` : found.problem, kept };
  } finally {
    await rm(fresh, { force: true });
    await rm(headFileOf(fresh), { force: true });
  }
}

/** Appends as `appendEntries` does; a ledger that is damaged is first written again from the run's past, and what was done about it is answered in words (null: nothing). */
export async function appendOrRebuild(request: AppendRequest, past: () => Promise<Past | null>): Promise<string | null> {
  try {
    await appendEntries(request);
    return null;
  } catch (error) {
    if (!(error instanceof PdlcError && error.kind === 'ledger_broken')) throw error;
    const { problem, kept } = await rebuildLedger({ ...request, past });
    await appendEntries(request);
    return `${request.file}: ${problem ?? error.message}; it was written again from the run's history${kept ? `, the damaged file is kept as ${kept}` : ''}`;
  }
}

function join(file: string, found: LedgerReading, past: readonly LedgerEntry[]): LedgerEntry[] {
  const [first] = past;
  if (!first) return [];
  const forgotten = found.entries.slice(0, first.seq - 1);
  if (forgotten.length === first.seq - 1) return [...forgotten, ...past];
  const problem = found.ok ? 'it ends before' : found.problem;
  throw new PdlcError(
    'ledger_broken',
    `${file}: expected entries 1 to ${first.seq - 1} in it, which the server no longer has, found ${forgotten.length} (${problem}); put a copy of the file from a backup in its place`,
  );
}

async function contentOf(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** A second name, and not a move: at no moment is there no ledger. */
async function keepAside(file: string): Promise<string | null> {
  for (let number = 1; number <= keptMax; number += 1) {
    const kept = `${file}.damaged-${number}`;
    try {
      await link(file, kept);
      return kept;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  throw new PdlcError('disk_failed', `${file}: expected at most ${keptMax} damaged files beside it, found more; move them away`);
}
