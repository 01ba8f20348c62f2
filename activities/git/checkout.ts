// Writes files of a commit into a folder. Must never run a filter or a hook, nor write or delete through a link.
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.js';
import { withIndex } from './index-file.js';
import { listTree } from './lists.js';

/** Writes a whole commit into an empty folder and leaves in `indexFile` the index that matches it. One git process. */
export async function checkOut(request: { git: Git; engineDir: string; commit: string; dir: string; indexFile: string }): Promise<void> {
  const { git, engineDir, commit, dir, indexFile } = request;
  await git(['read-tree', '--reset', '-u', commit], { gitDir: engineDir, workTree: dir, indexFile });
}

/** Makes these files in a folder what they are in a commit, absent ones included; other files stay. Safe to repeat because the end is the same. */
export async function restorePaths(request: { git: Git; engineDir: string; tree: string; commit: string; paths: readonly string[] }): Promise<void> {
  const { git, engineDir, tree, commit, paths } = request;
  if (paths.length === 0) return;
  const files = await listTree(git, engineDir, commit);
  for (const path of paths.filter((name) => !files.has(name))) await removeInside(tree, path);
  const present = paths.filter((name) => files.has(name));
  if (present.length === 0) return;
  await withIndex(engineDir, 'nothing', async (indexFile) => {
    await git(['read-tree', commit], { gitDir: engineDir, indexFile });
    await git(['checkout-index', '-f', '-q', '-z', '--stdin'], { gitDir: engineDir, workTree: tree, indexFile, input: `${present.join('\0')}\0` });
  });
}

/** Removes one path below a folder, whatever it is; does nothing when a link or a file stands where a parent folder should be. */
export async function removeInside(dir: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const parent = await lstat(join(dir, ...parts.slice(0, depth))).catch(() => null);
    if (!parent?.isDirectory()) return;
  }
  await rm(join(dir, ...parts), { recursive: true, force: true });
}
