// Moves refs. In the user's repository by git's own compare-and-swap; in the engine's, where nobody else writes, as plain files that appear whole,
// so that a killed engine leaves no lock there. Must never remove a lock that someone else may hold.

import { createHash } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { readIfPresent, writeWhole } from '../host/files.js';
import type { Git } from './git.js';

/** A lock of the engine's own in the user's repository counts as left by a killed engine when it is older than this, in ms; git holds one for a few. */
const staleLockMs = 5_000;

/** The commit at an engine ref given by its full name, null when there is none. */
export async function readEngineRef(engineDir: string, ref: string): Promise<string | null> {
  return (await readIfPresent(join(engineDir, ref)))?.trim() ?? null;
}

/** Points an engine ref at a commit; what it held before stays reachable under `refs/pdlc/replaced/`. Safe to repeat because the end is the same. */
export async function setEngineRef(engineDir: string, ref: string, commit: string): Promise<void> {
  const before = await readEngineRef(engineDir, ref);
  if (before === commit) return;
  if (before !== null) await write(join(engineDir, 'refs/pdlc/replaced', before), `${before}\n`);
  await write(join(engineDir, ref), `${commit}\n`);
}

/** One move in the user's repository: `expected` is where the ref must be (null: nowhere). `engineDir` keeps the note by which an own lock is known. */
export type Move = { git: Git; engineDir: string; gitDir: string; ref: string; commit: string; expected: string | null };

/** Moves a ref of the user's repository; `branch_moved` when it is elsewhere. Safe to repeat because a ref that is already at `commit` is left alone. */
export async function moveRef({ git, engineDir, gitDir, ref, commit, expected }: Move): Promise<void> {
  const note = join(engineDir, 'moving', createHash('sha256').update(`${gitDir}\n${ref}`).digest('hex'));
  const isRepeat = (await readIfPresent(note)) === commit;
  if (isRepeat) await removeOwnLock(join(gitDir, `${ref}.lock`), commit);
  await write(note, commit);
  try {
    await compareAndSwap({ git, gitDir, ref, commit, expected });
  } catch (error) {
    // The note of a killed move stays until its lock is old enough to go; a move that failed by itself has left no lock.
    if (!isRepeat) await rm(note, { force: true });
    throw error;
  }
  await rm(note, { force: true });
}

/** The commit at a ref of any repository, given by its full name; null when there is none. */
export async function readRef(git: Git, gitDir: string, ref: string): Promise<string | null> {
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', ref], { gitDir, okCodes: [0, 1] });
  return code === 0 ? stdout.trim() : null;
}

async function compareAndSwap({ git, gitDir, ref, commit, expected }: Omit<Move, 'engineDir'>): Promise<void> {
  const args = ['update-ref', ref, commit, expected ?? '0'.repeat(commit.length)];
  const { code } = await git(args, { gitDir, okCodes: [0, 1, 128] });
  if (code === 0) return;
  const found = await readRef(git, gitDir, ref);
  if (found === commit) return;
  if (found !== expected) throw movedRef(ref, { expected, found });
  // It is where it should be and still does not move (a lock, a full disk): let git say why.
  await git(args, { gitDir });
}

/** That a ref is not where a run left it: `expected` and `found` are commits, null where there is no such ref. */
export function movedRef(ref: string, { expected, found }: { expected: string | null; found: string | null }): PdlcError {
  const places = `expected ${expected ?? 'no such ref'}, found ${found ?? 'no such ref'}`;
  const back = expected === null ? `git update-ref -d ${ref}` : `git update-ref ${ref} ${expected}`;
  return new PdlcError('branch_moved', `${ref}: ${places}; someone moved it. Look at it with git log, put it back with: ${back} and then: pdlc resume`);
}

/** Called only after a note of the same move that was never taken back; removes only what that move writes, and only when it is old. */
async function removeOwnLock(lock: string, commit: string): Promise<void> {
  const content = (await readIfPresent(lock))?.trim();
  if (content === undefined || (content !== '' && content !== commit)) return;
  if (Date.now() - (await stat(lock)).mtimeMs > staleLockMs) await rm(lock, { force: true });
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeWhole(file, text);
}
