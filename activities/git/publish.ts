// The only writes into the user's repository: objects, and one ref by compare-and-swap. Everything else there stays as it is, byte for byte.

import type { Git } from './git.js';
import { withIndex } from './index-file.js';
import { copyHistory, type Words, writeCommit } from './objects.js';
import type { Repository } from './read.js';
import { moveRef, readRef } from './refs.js';

/** Commits whole files on top of `parent` in the engine repository, without any tree. Safe to repeat because the same input is the same commit. */
export async function commitFiles(
  request: { git: Git; engineDir: string; parent: string; files: readonly { path: string; text: string }[] } & Words,
): Promise<string> {
  const { git, engineDir, parent, files, ...words } = request;
  const lines = await Promise.all(
    files.map(async ({ path, text }) => {
      const { stdout } = await git(['hash-object', '-w', '--stdin'], { gitDir: engineDir, input: text });
      return `100644 ${stdout.trim()}\t${path}\0`;
    }),
  );
  return withIndex(engineDir, 'nothing', async (indexFile) => {
    const inIndex = { gitDir: engineDir, indexFile };
    await git(['read-tree', parent], inIndex);
    await git(['update-index', '-z', '--replace', '--index-info'], { ...inIndex, input: lines.join('') });
    const tree = (await git(['write-tree'], inIndex)).stdout.trim();
    return writeCommit({ git, gitDir: engineDir, tree, parents: [parent], ...words });
  });
}

/** `commit` of the engine repository is to be at a ref of the user's repository; `base` is the run's, which the user's repository normally still has. */
export type PublishRequest = { git: Git; repo: Repository; engineDir: string; base: string; commit: string; expected: string | null };

/** Brings a commit into the user's repository as `refs/heads/<branch>`. `branch_moved` when the branch is not at `expected` (null: absent). */
export async function publishBranch({ branch, ...request }: PublishRequest & { branch: string }): Promise<void> {
  await publishRef({ ...request, ref: `refs/heads/${branch}` });
}

/** The same for any ref, given by its full name. Safe to repeat because a ref that is already at `commit` is left alone. */
export async function publishRef({ repo, engineDir, base, ref, ...rest }: PublishRequest & { ref: string }): Promise<void> {
  const { git, commit, expected } = rest;
  const found = await readRef(git, repo.commonDir, ref);
  if (found === commit) return;
  // Objects come first: a ref must never be seen before what it names. A stale `expected` costs no copy.
  if (found === expected) {
    const known = expected ?? base;
    const { code } = await git(['cat-file', '-e', `${known}^{commit}`], { gitDir: repo.commonDir, okCodes: [0, 1, 128] });
    await copyHistory({ git, from: engineDir, to: repo.commonDir, want: commit, have: code === 0 ? [known] : [] });
  }
  await moveRef({ git, engineDir, gitDir: repo.commonDir, ref, commit, expected });
}
