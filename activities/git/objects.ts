// Copies history between repositories and makes commits. Must never write into the repository that is copied from, nor read its configuration.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.js';
import { objectsOf } from './skeleton.js';

/** `from` and `to` are git directories; `to` gets everything that `want` reaches and `have` does not. */
export type Copy = { git: Git; from: string; to: string; want: string; have: string[] };

/** Packs history straight into another repository, in one process. Safe to repeat because a pack is named by its content and appears whole. */
export async function copyHistory({ git, from, to, want, have }: Copy): Promise<void> {
  await mkdir(join(objectsOf(to), 'pack'), { recursive: true });
  const input = [want, ...have.map((id) => `^${id}`), ''].join('\n');
  // Run in the receiving repository, which only borrows the giver's objects for this call.
  await git(['pack-objects', '--revs', '--non-empty', '--quiet', join(objectsOf(to), 'pack', 'pack')], { gitDir: to, alsoRead: objectsOf(from), input });
}

/** What a commit says: `atMs` is its fixed time in epoch ms, so that the same input is the same commit; trailers are written in the order given. */
export type Words = { message: string; trailers: Record<string, string>; atMs: number };

/** Writes a commit object by the engine's identity and returns its id. Safe to repeat because the same input has the same id. */
export async function writeCommit(request: { git: Git; gitDir: string; tree: string; parents: string[] } & Words): Promise<string> {
  const { git, gitDir, tree, parents, message, trailers, atMs } = request;
  const date = `${Math.floor(atMs / 1000)} +0000`;
  const text = [
    message.trim(),
    Object.entries(trailers)
      .map(([key, value]) => `${key}: ${value.replace(/\s+/g, ' ')}`)
      .join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
  const args = ['commit-tree', tree, ...parents.flatMap((id) => ['-p', id])];
  const { stdout } = await git(args, { gitDir, input: `${text}\n`, env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } });
  return stdout.trim();
}
