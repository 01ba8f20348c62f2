// The tree an agent works in: a checkout with a plain `.git` of its own. The engine never runs git in that repository and never follows its `.git`.

import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { stateDir } from '../../machines/contract/state-file.js';
import { hasCode } from '../host/files.js';
import { checkOut, restorePaths } from './checkout.js';
import type { Git } from './git.js';
import { copyIndex, rememberIndex, withIndex } from './index-file.js';
import { diffTrees, listTree } from './lists.js';
import { buildOnce, exists, writeSkeleton } from './skeleton.js';

/** The tree of a run at `<runDir>/tree`, with HEAD on `branch`. */
export type TreeRequest = { git: Git; runDir: string; engineDir: string; branch: string; commit: string };

/** The path of the run's tree, made at `commit` when there is none. Safe to repeat because it is built aside and one that exists is kept untouched. */
export async function ensureTree(request: TreeRequest): Promise<string> {
  const { git, runDir, engineDir, branch, commit } = request;
  const tree = join(runDir, 'tree');
  await buildOnce(tree, async (aside) => {
    await mkdir(aside, { recursive: true });
    await withIndex(engineDir, 'nothing', async (indexFile) => {
      await checkOut({ git, engineDir, commit, dir: aside, indexFile });
      await writeAgentGit({ dir: join(aside, '.git'), engineDir, branch, commit });
      await putIndex(engineDir, indexFile, join(aside, '.git', 'index'));
    });
  });
  return tree;
}

/** Refuses a tree that is no folder of the run's own: an agent may have put a link to another checkout in its place (`workspace_conflict`). A missing one is fine. */
export async function requireOwnTree(tree: string): Promise<void> {
  const found = await lstat(tree).catch(() => null);
  if (!found || found.isDirectory()) return;
  throw new PdlcError(
    'workspace_conflict',
    `tree ${tree}: expected a folder of the run's own, found ${found.isSymbolicLink() ? 'a link' : 'something else'}; nothing behind it was touched. Remove it and end the run with: pdlc cancel`,
  );
}

/**
 * Takes the tree from the capture `from` to `commit`: paths that differ between them and the engine's state files are rewritten, all else stays.
 * `.git` is made afresh, the old one kept as `<runDir>/old-git/<label>`; with `label` null it stays, for a person's commits. Safe to repeat because a label names one refresh: with its old `.git` kept and a new one there, nothing is left to do.
 */
export async function refreshTree(request: TreeRequest & { from: string; label: string | null }): Promise<string> {
  const { git, runDir, engineDir, branch, commit, from, label } = request;
  const tree = join(runDir, 'tree');
  const kept = label === null ? null : join(runDir, 'old-git', label);
  if (kept && (await exists(kept)) && (await exists(join(tree, '.git')))) return tree;
  await requireOwnTree(tree);
  await withIndex(engineDir, 'tree', async (indexFile) => {
    const seen = { gitDir: engineDir, workTree: tree, indexFile };
    // Git itself updates what differs between the two commits, and refuses when that would touch what someone changed in the tree.
    const { code } = await git(['read-tree', '-m', '-u', from, commit], { ...seen, okCodes: [0, 128] });
    if (code !== 0) await rewrite({ git, engineDir, tree, from, commit, indexFile });
    if (!kept) return rememberIndex(engineDir, indexFile);
    await setAside(join(tree, '.git'), kept);
    const makeGit = async (aside: string) => {
      await writeAgentGit({ dir: aside, engineDir, branch, commit });
      await putIndex(engineDir, indexFile, join(aside, 'index'));
    };
    // Built outside the tree, or what a killed engine leaves would be captured as the agent's.
    await buildOnce(join(tree, '.git'), makeGit, runDir);
  });
  return tree;
}

type Rewrite = { git: Git; engineDir: string; tree: string; from: string; commit: string; indexFile: string };

async function rewrite({ git, engineDir, tree, from, commit, indexFile }: Rewrite): Promise<void> {
  const changes = await diffTrees(git, engineDir, { from, to: commit });
  const state = [...(await listTree(git, engineDir, commit)).keys()].filter((path) => path.startsWith(`${stateDir}/`));
  await restorePaths({ git, engineDir, tree, commit, paths: [...new Set([...changes.map(({ path }) => path), ...state])] });
  const seen = { gitDir: engineDir, workTree: tree, indexFile };
  await git(['read-tree', '--reset', commit], seen);
  await git(['update-index', '-q', '--refresh'], { ...seen, okCodes: [0, 1] });
}

type AgentGit = { dir: string; engineDir: string; branch: string; commit: string };

async function writeAgentGit({ dir, engineDir, branch, commit }: AgentGit): Promise<void> {
  const ref = `refs/heads/${branch}`;
  await writeSkeleton(dir, { bare: false, head: `ref: ${ref}`, refs: { [ref]: commit }, lender: engineDir, idLength: commit.length });
}

/** The agent's repository gets a copy: what the engine remembers must be out of the agent's reach. */
async function putIndex(engineDir: string, indexFile: string, to: string): Promise<void> {
  await copyIndex(indexFile, to);
  await rememberIndex(engineDir, indexFile);
}

async function setAside(path: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await rename(path, to);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
