// Rooms: clean checkouts of one commit in which checks run. Must never take a byte from an agent's tree.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { checkOut, removeInside, restorePaths } from './checkout.js';
import type { Git } from './git.js';
import { writeSkeleton } from './skeleton.js';

/** `overlay` puts single files of other commits in place (or away, where absent there); `drop` takes files away. Both may be left out. */
export type RoomRequest = {
  git: Git;
  engineDir: string;
  commit: string;
  dir: string;
  overlay?: readonly { commit: string; paths: readonly string[] }[];
  drop?: readonly string[];
};

/** Fills `dir`, which must be empty or missing (`workspace_conflict`), with a commit and a small repository of its own, HEAD detached there. */
export async function makeRoom({ git, engineDir, commit, dir, overlay = [], drop = [] }: RoomRequest): Promise<void> {
  await mkdir(dir, { recursive: true });
  const found = await readdir(dir);
  if (found.length > 0) throw new PdlcError('workspace_conflict', `room ${dir}: expected an empty folder, found ${found[0]}; remove the folder and repeat`);
  const gitDir = join(dir, '.git');
  await writeSkeleton(gitDir, { bare: false, head: commit, refs: {}, lender: engineDir, idLength: commit.length });
  await checkOut({ git, engineDir, commit, dir, indexFile: join(gitDir, 'index') });
  for (const layer of overlay) await restorePaths({ git, engineDir, tree: dir, commit: layer.commit, paths: layer.paths });
  for (const path of drop) await removeInside(dir, path);
}
