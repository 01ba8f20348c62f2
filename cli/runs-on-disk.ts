// Owns reading runs from this host's disk: which there are, and the latest one's report from its ledger. Works with server and worker down.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { featureDir } from '../activities/host/paths.js';
import { readLedger } from '../activities/ledger/read.js';
import type { LedgerEntry } from '../machines/contract/ledger.js';
import type { Feature } from './feature.js';

/** The ledger of a feature's latest run on this host: its file, entries, and what is wrong with it (null: nothing). */
export type LatestLedger = { file: string; entries: LedgerEntry[]; problem: string | null };

/** Whether any run of this feature ever began on this host. */
export function hasRuns(home: string, { repo, id }: Feature): boolean {
  return runDirs(home, repo.project, id).length > 0;
}

/** The latest run's ledger, or null when there is no run. */
export async function latestLedger(home: string, { repo, id }: Feature): Promise<LatestLedger | null> {
  const newest = runDirs(home, repo.project, id).at(-1);
  if (!newest) return null;
  const file = join(newest, 'ledger.jsonl');
  const ledger = await readLedger(file);
  return { file, entries: ledger.entries, problem: ledger.ok ? null : ledger.problem };
}

function runDirs(home: string, project: string, featureId: string): string[] {
  const dir = join(featureDir(home, project, featureId), 'runs');
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return []; // no run yet
  }
  const aged = names.map((name) => ({ path: join(dir, name), bornMs: statSync(join(dir, name)).birthtimeMs }));
  return aged.sort((a, b) => a.bornMs - b.bornMs).map(({ path }) => path);
}
