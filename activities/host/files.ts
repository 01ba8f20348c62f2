// Owns the few file operations that need more care than one call: removing trees that a check made read-only, and folders of our own.
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
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

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700).catch(() => undefined);
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
}
