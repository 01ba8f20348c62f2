// Owns the few file operations that need more care than one call: removing trees that a check made read-only, folders of our own, and telling what is not there.
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a tree, also one whose folders were made read-only; a missing one is fine. */
export async function removeTree(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true });
  } catch {
    await makeWritable(dir);
    await rm(dir, { recursive: true, force: true });
  }
}

/** An empty folder of our own (0700), whatever was there before. */
export async function freshDir(dir: string): Promise<void> {
  await removeTree(dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
}

/** True if the error carries one of these system error codes; message text is never looked at. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** A file as text, null when it is not there; any other trouble throws. */
export async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Whether something is there that can be looked at, links followed. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700).catch(() => undefined);
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
}
