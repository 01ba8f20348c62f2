// Owns the integrity gate: whether files that decide pass or fail are what they were at the seal. The seal is a function of one commit: all its tests and all its
// deciding configuration; nothing is stored. It compares object ids and reads nothing of the agent's tree.

import { posix } from 'node:path';
import { stateDir } from '../../machines/contract/state-file.js';
import type { Tampering, Verdict } from '../../machines/contract/verdict.js';
import { diffTrees, type TreeChange } from '../git/lists.js';
import { readBlob } from '../git/read.js';
import { choice, type Judging, reject, tampered } from './judging.js';
import { manifestChanges } from './manifest.js';
import { isDecidingPath, isDependencyPath, isMixedManifest, testPathMatcher } from './tables.js';

/** Largest package.json that is compared key by key, in bytes; a larger one decides as a whole. */
const manifestBytesMax = 1_048_576;

/** One changed path; `keys` names the parts of a package.json that matter. */
export type Change = TreeChange & { keys?: string[] };

/** What changed between two commits, sorted by what it means; state files are the engine's own and left out. */
export type Changes = { all: Change[]; tests: Change[]; deciding: Change[]; dependencies: Change[] };

/** Sorts the changes between two commits of a run. */
export async function sortChanges({ host, paths, input }: Pick<Judging, 'host' | 'paths' | 'input'>, from: string, to: string): Promise<Changes> {
  if (from === to) return { all: [], tests: [], deciding: [], dependencies: [] };
  const isTest = testPathMatcher(input.run.config.seal.paths);
  const all = (await diffTrees(host.git, paths.engine, { from, to })).filter(({ path }) => !path.startsWith(`${stateDir}/`));
  const changes: Changes = { all, tests: [], deciding: [], dependencies: [] };
  for (const change of all) {
    // A manifest among the tests is one of their fixtures; a new one there may still decide how they run.
    const isFixture = isTest(change.path) && change.status !== 'added';
    if (isManifest(change.path) && !isFixture) await sortManifest({ host, paths }, { from, to, change }, changes);
    else if (isDecidingPath(change.path)) changes.deciding.push(change);
    else if (isTest(change.path)) changes.tests.push(change);
    else if (isDependencyPath(change.path)) changes.dependencies.push(change);
  }
  return changes;
}

/** Refuses a candidate whose sealed tests or deciding configuration changed since the seal, or whose dependencies did without leave; null when all is in order. */
export async function integrity(judging: Judging, changes: Changes): Promise<Verdict | null> {
  const touched = [...changes.tests.filter(({ status }) => status !== 'added'), ...changes.deciding];
  if (touched.length > 0) return tampered(touched.map(toTampering), `sealed files were changed: ${names(touched)}`);
  return (await outsideLinks(judging, changes)) ?? dependencyVerdict(judging, changes);
}

/** Refuses links that lead out of the repository: what they point to is on this machine only, and no clean checkout has it. */
export async function outsideLinks({ host, paths }: Pick<Judging, 'host' | 'paths'>, { all }: Changes): Promise<Verdict | null> {
  const outside: Change[] = [];
  for (const change of all.filter(({ newMode }) => newMode === '120000')) {
    const { stdout: target } = await host.git(['cat-file', 'blob', change.newId], { gitDir: paths.engine });
    if (posix.isAbsolute(target) || posix.normalize(posix.join(posix.dirname(change.path), target)).startsWith('..')) outside.push(change);
  }
  return outside.length > 0 ? reject('admit', `links may not lead out of the repository: ${names(outside)}`) : null;
}

/** What changed dependency manifests and lockfiles ask for under the configured policy. */
export function dependencyVerdict({ input }: Judging, { dependencies }: Changes): Verdict | null {
  const policy = input.run.config.seal.dependencies;
  const asked = policy === 'allow' ? dependencies.filter(({ path }) => isMixedManifest(path)) : dependencies;
  if (asked.length === 0 || input.allowDependencies) return null;
  if (policy === 'refuse') return reject('integrity', `dependencies may not change (seal.dependencies: refuse): ${names(asked)}`);
  return choice(
    asked.map(({ path }) => path),
    `dependency manifests or lockfiles were changed: ${names(asked)}`,
  );
}

/** Paths for a sentence, bounded. */
export function names(changes: readonly Change[]): string {
  const shown = changes.slice(0, 10).map(({ path, keys }) => (keys ? `${path} (${keys.join(', ')})` : path));
  return `${shown.join(', ')}${changes.length > shown.length ? ` and ${changes.length - shown.length} more` : ''}`;
}

const isManifest = (path: string): boolean => path === 'package.json' || path.endsWith('/package.json');

async function sortManifest(
  { host, paths }: Pick<Judging, 'host' | 'paths'>,
  at: { from: string; to: string; change: Change },
  changes: Changes,
): Promise<void> {
  const read = async (commit: string): Promise<string | null> => {
    const blob = await readBlob({ git: host.git, gitDir: paths.engine, commit, path: at.change.path, bytesMax: manifestBytesMax });
    // Too large to be read: no JSON then, so that any change of it decides as a whole.
    if (blob.kind === 'too_large') return `${commit} too large`;
    return blob.kind === 'found' ? blob.bytes.toString() : null;
  };
  const { deciding, dependencies } = manifestChanges(await read(at.from), await read(at.to));
  if (deciding.length > 0) changes.deciding.push({ ...at.change, keys: deciding });
  if (dependencies.length > 0) changes.dependencies.push({ ...at.change, keys: dependencies });
}

function toTampering({ path, status, oldId, newId }: TreeChange): Tampering {
  return { path, expected: status === 'added' ? null : oldId, found: status === 'deleted' ? null : newId };
}
