// Owns reading runs from this host's disk: which there are, and the latest one's report from its ledger. Works with server and worker down.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { featureDir } from '../activities/host/paths.js';
import { type LedgerFault, readLedger } from '../activities/ledger/read.js';
import type { LedgerEntry } from '../machines/contract/ledger.js';
import type { Report } from '../machines/contract/report.js';
import { isFinal, isWaiting } from '../machines/contract/run-state.js';

/** A feature by what its folder on this host is named after. */
type Owner = { project: string; id: string };

/** The ledger of a feature's latest run on this host: its file, its sound entries, and what is wrong with it (null: nothing). */
export type LatestLedger = { file: string; entries: LedgerEntry[]; fault: LedgerFault | null; problem: string | null };

/** Whether any run of this feature ever began on this host. */
export function hasRuns(home: string, owner: Owner): boolean {
  return runDirs(home, owner).length > 0;
}

/** The latest run's ledger, or null when there is no run. */
export async function latestLedger(home: string, owner: Owner): Promise<LatestLedger | null> {
  const newest = runDirs(home, owner).at(-1);
  if (!newest) return null;
  const file = ledgerIn(newest);
  const ledger = await readLedger(file);
  return { file, entries: ledger.entries, ...(ledger.ok ? { fault: null, problem: null } : { fault: ledger.kind, problem: ledger.problem }) };
}

/** What is wrong with a ledger, with its name, or null. That there is none is right as long as the run, by this report of its own, has not written yet. */
export function damageOf({ file, fault, problem }: LatestLedger, report: Report | null = null): string | null {
  return problem === null || (fault === 'missing' && !(report && hasWritten(report))) ? null : `${file}: ${problem}`;
}

/** What the first line of a ledger says of its run, as far as it can be read; it is not verified. */
export function firstFactOf(ledger: string): { at: string; repo: string } | null {
  try {
    const first = firstFactSchema.safeParse(JSON.parse(readFileSync(ledger, 'utf8').split('\n')[0] ?? ''));
    return first.success ? first.data : null;
  } catch {
    return null; // missing or damaged: whoever needs it says so
  }
}

const firstFactSchema = z.object({ kind: z.literal('run.started'), at: z.string(), repo: z.string() });

const ledgerIn = (runDir: string): string => join(runDir, 'ledger.jsonl');

/** A run writes at the end of each stage, and before it waits or is over. */
const hasWritten = ({ steps, state }: Report): boolean => isWaiting(state) || isFinal(state) || steps.some(({ ok }) => ok !== null);

function runDirs(home: string, { project, id }: Owner): string[] {
  const dir = join(featureDir(home, project, id), 'runs');
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return []; // no run yet
  }
  return names
    .map((name) => join(dir, name))
    .map((path) => ({ path, bornMs: bornMs(path) }))
    .sort((a, b) => a.bornMs - b.bornMs)
    .map(({ path }) => path);
}

/** As the ledger says: the folder's own age is that of a copy where it came out of a backup or was made anew. */
function bornMs(runDir: string): number {
  const { at } = firstFactOf(ledgerIn(runDir)) ?? {};
  return Date.parse(at ?? '') || statSync(runDir).birthtimeMs;
}
