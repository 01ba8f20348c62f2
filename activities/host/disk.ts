// Owns what a disk itself says about taking writes. Facts alone, never a message's text; what a failed write means is decided elsewhere.
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { hasCode } from './files.js';

/** A disk with less room counts as full, in bytes: what a program does there is then no evidence of anything. */
const roomBytesMin = 1_048_576;
/** The same for files, on disks that count them. */
const roomFilesMin = 16;

/** Why the disk of a path takes no writes (no room, no file left, read-only, broken), in words; null when it does, or when there is nothing at the path. */
export async function diskProblem(path: string): Promise<string | null> {
  const found = await fault(path);
  return found && `${path}: expected a disk with room to write, found ${found}. Put that right; the run goes on by itself`;
}

async function fault(path: string): Promise<string | null> {
  try {
    const { blocks, bavail, bfree, bsize, files, ffree } = await statfs(path);
    const room = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
    // Some file systems count nothing; those only say so when they are written to.
    if (blocks > 0 && room < roomBytesMin) return 'no space left on it';
    if (files > 0 && ffree < roomFilesMin) return 'no more files possible on it';
    await access(path, constants.W_OK);
    return null;
  } catch (error) {
    if (hasCode(error, 'EROFS')) return 'a read-only file system';
    return hasCode(error, 'EIO') ? 'that it cannot be read' : null;
  }
}

/** Looks at a disk now and then while a program runs there. */
export type DiskWatch = { look: () => void; problem: () => Promise<string | null> };

/** `problem` tells what was wrong at any look, and looks once more: a program that ran meanwhile may have failed, or said less than it meant, for want of room. */
export function watchDisk(path: string): DiskWatch {
  let first: string | null = null;
  let looking: Promise<void> | null = null;
  const look = (): void => {
    looking ??= diskProblem(path).then((problem) => {
      first ??= problem;
      looking = null;
    });
  };
  const problem = async (): Promise<string | null> => {
    await looking;
    look();
    await looking;
    return first;
  };
  return { look, problem };
}
