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
  const { git, gitDir, tree, parents } = request;
  const date = `@${secondsOf(request)} +0000`;
  const text = commitText(request);
  const args = ['commit-tree', tree, ...parents.flatMap((id) => ['-p', id])];
  const { stdout } = await git(args, { gitDir, input: text, env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } });
  return stdout.trim();
}

/** The text of a commit: message, then trailers, each value on one line. */
export function commitText({ message, trailers }: Pick<Words, 'message' | 'trailers'>): string {
  const lines = Object.entries(trailers).map(([key, value]) => `${key}: ${value.replace(/\s+/g, ' ')}`);
  return `${[message.trim(), lines.join('\n')].filter(Boolean).join('\n\n')}\n`;
}

/** The date of a commit in whole seconds since the epoch. */
export const secondsOf = ({ atMs }: Pick<Words, 'atMs'>): number => Math.floor(atMs / 1000);
