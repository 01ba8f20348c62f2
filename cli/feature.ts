// Owns finding a feature: its repository, its branch, and its state file. Reads only, and loads nothing of Temporal, so that `loop-next` stays quick.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findBranch, openRepository, type Repository, readBlob } from '../activities/git/read.js';
import { readStateBytes } from '../activities/project/state-reader.js';
import { PdlcError } from '../machines/contract/failure.js';
import { branchOf, featureIdProblem } from '../machines/contract/feature-id.js';
import type { Report } from '../machines/contract/report.js';
import { type StateReading, stateFileBytesMax, stateFilePath } from '../machines/contract/state-file.js';
import type { Context } from './context.js';
import { CliError, usageError } from './error.js';
import { firstFactOf } from './runs-on-disk.js';

/** A feature in its repository: `tip` is its branch's commit (null: no branch yet), `branchProblem` what keeps the engine from writing that branch, `source` where the state was read. */
export type Feature = {
  id: string;
  repo: Repository;
  branch: string;
  branchProblem: string | null;
  tip: string | null;
  state: StateReading;
  stateText: string;
  source: 'branch' | 'checkout';
};

/** Refuses an id that cannot be one, before anything is looked at. */
export function checkFeatureId(id: string): void {
  const problem = featureIdProblem(id);
  if (problem) throw usageError(`feature id ${JSON.stringify(id.slice(0, 120))}: ${problem}; an id looks like F20261130-101500`);
}

/** The repository around the working folder; 64 with one clear message when there is none that can be used. */
export async function openHere(context: Context): Promise<Repository> {
  try {
    return await openRepository(ownerOf(context), context.git);
  } catch (error) {
    if (error instanceof PdlcError && error.kind === 'repository_unusable') throw usageError(error.message);
    throw error;
  }
}

/** Inside the kept tree of a run the run's own repository is meant, since the tree is only a copy of it. */
function ownerOf({ cwd, home }: Context): string {
  for (let dir = cwd; dir.startsWith(home) && dir !== home; dir = dirname(dir)) {
    if (basename(dir) !== 'tree' || basename(dirname(dirname(dir))) !== 'runs') continue;
    const ledger = join(dirname(dir), 'ledger.jsonl');
    const { repo } = firstFactOf(ledger) ?? {};
    if (repo) return repo;
    throw usageError(`${ledger}: expected the run's first fact, which names the repository of this tree, found none; go to that repository and call it there`);
  }
  return cwd;
}

/** Finds a feature; state comes from the tip of its branch if there is one, else (or when `fresh`) from the checkout. */
export async function findFeature(context: Context, id: string, options: { fresh?: boolean } = {}): Promise<Feature> {
  checkFeatureId(id);
  const repo = await openHere(context);
  const branch = branchOf(id);
  const { tip, problem: branchProblem } = await findBranch(repo, branch, context.git);
  const found = tip !== null && !options.fresh ? await stateOnBranch(context, { repo, tip, id }) : null;
  const { reading: state, text: stateText } = found ?? stateInCheckout(repo.top, id);
  return { id, repo, branch, branchProblem, tip, state, stateText, source: found ? 'branch' : 'checkout' };
}

/** Refuses a feature whose branch the engine cannot write. */
export function requireBranch({ branchProblem }: Feature): void {
  if (branchProblem) throw new CliError(64, branchProblem);
}

/** The state file in the checkout that git does not track although the branch carries it, or null: `new` writes one, and a merge would refuse to overwrite it. */
export async function untrackedState({ git }: Context, { repo, featureId, state }: Report): Promise<string | null> {
  const path = stateFilePath(featureId);
  if (state !== 'review_done' || !existsSync(join(repo, path))) return null;
  const { code } = await git(['ls-files', '--error-unmatch', '--', path], { cwd: repo, okCodes: [0, 1, 128] });
  return code === 1 ? path : null;
}

type Found = { reading: StateReading; text: string };

async function stateOnBranch(context: Context, { repo, tip, id }: { repo: Repository; tip: string; id: string }): Promise<Found | null> {
  const path = stateFilePath(id);
  const blob = await readBlob({ git: context.git, gitDir: repo.commonDir, commit: tip, path, bytesMax: stateFileBytesMax });
  if (blob.kind === 'missing') return null;
  if (blob.kind === 'too_large')
    return { reading: { ok: false, expected: `at most ${stateFileBytesMax} bytes`, found: `${blob.sizeBytes} bytes in ${path}` }, text: '' };
  return { reading: readStateBytes(blob.bytes, path), text: blob.bytes.toString() };
}

function stateInCheckout(top: string, id: string): Found {
  const path = stateFilePath(id);
  const file = join(top, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return { reading: readStateBytes(null, path), text: '' };
  if (!stat.isFile())
    return { reading: { ok: false, expected: 'a file', found: `${stat.isDirectory() ? 'a directory' : 'something else'} at ${path}` }, text: '' };
  if (stat.size > stateFileBytesMax)
    return { reading: { ok: false, expected: `at most ${stateFileBytesMax} bytes`, found: `${stat.size} bytes in ${path}` }, text: '' };
  const bytes = readFileSync(file);
  return { reading: readStateBytes(bytes, path), text: bytes.toString() };
}
