// The release activity: the end of a run on its host. What is left in the tree is saved under a printed ref before the tree is removed.
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReleaseInput, ReleaseResult } from '../machines/contract/activities.js';
import { requireOwnTree } from './git/agent-tree.js';
import { capture } from './git/capture.js';
import { attemptRef } from './git/engine-repo.js';
import { publishRef } from './git/publish.js';
import { readRef } from './git/refs.js';
import type { Act } from './host/act.js';
import { exists, hasCode, removeTree } from './host/files.js';
import { type Host, pathsOf } from './host/host.js';
import type { RunPaths } from './host/paths.js';
import { appendOrRebuild } from './ledger/rebuild.js';
import { releaseSlots } from './oracle/slot.js';

/** Most files left out of commits that are kept at the end of a run. */
const leftOutMax = 10_000;

/** Closes a run. Safe to repeat because leftovers are captured to the same commit and ref, and what is gone stays gone. */
export async function release(host: Host, input: ReleaseInput, { past }: Pick<Act, 'past'>): Promise<ReleaseResult> {
  const { run, runKey, entries } = input;
  const paths = pathsOf(host, input);
  const repaired = await appendOrRebuild({ file: paths.ledger, entries, runKey }, past);
  const said = repaired === null ? {} : { repaired };
  await releaseSlots(paths);
  const ref = `refs/pdlc/saved/${run.featureId}/${runKey.slice(0, 8)}`;
  if (!(await exists(paths.engine))) return { savedRef: null, leftOut: null, ...said };
  const repo = { commonDir: run.gitDir };
  await requireOwnTree(paths.tree);
  if (await exists(paths.tree)) await saveLeftovers(host, { input, paths, repo, ref });
  await putAside(paths);
  const leftOut = leftOutDir(paths);
  return { ...said, savedRef: (await readRef(host.git, repo.commonDir, ref)) ? ref : null, leftOut: (await exists(leftOut)) ? leftOut : null };
}

async function saveLeftovers(
  host: Host,
  { input, paths, repo, ref }: { input: ReleaseInput; paths: RunPaths; repo: { commonDir: string }; ref: string },
): Promise<void> {
  const { run, tip, runKey } = input;
  const trailers = { 'Pdlc-Run': runKey, 'Pdlc-State': input.final };
  const atMs = Date.parse(input.entries.at(-1)?.at ?? '') || 0;
  const words = { message: `pdlc(${run.featureId}): left in the tree at the end`, trailers, atMs };
  const left = await capture({
    git: host.git,
    engineDir: paths.engine,
    tree: paths.tree,
    tip,
    parent: tip,
    ref: attemptRef('end'),
    filesMax: leftOutMax,
    ...words,
  });
  if (left.changed || left.agentCommits > 0)
    await publishRef({ git: host.git, repo, engineDir: paths.engine, base: run.base, ref, commit: left.commit, expected: null });
  for (const { path, reason } of left.omitted) if (reason !== 'junk' && reason !== 'state_file') await keepFile(paths, path);
}

/** Moved and not copied: a repeat finds it moved, and a secret stays where only its owner reads. */
async function keepFile(paths: RunPaths, path: string): Promise<void> {
  const to = join(leftOutDir(paths), path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(join(paths.tree, path), to);
}

const leftOutDir = (paths: RunPaths): string => join(paths.dir, 'left-out');

async function putAside(paths: RunPaths): Promise<void> {
  const [gone, kept] = [join(paths.dir, 'tree.gone'), join(paths.dir, 'old-git')];
  // Away in one step: a repeat that found half a tree would save something else than the first call did.
  if (await exists(paths.tree)) await rename(paths.tree, gone);
  // The agent's own repository may hold stashes and branches; it is small next to the files, so it is kept.
  await mkdir(kept, { recursive: true });
  await rename(join(gone, '.git'), join(kept, 'end')).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  await removeTree(gone);
}
