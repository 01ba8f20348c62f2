// Private index files. The engine never uses the index of an agent's tree: it could hide changes.
// One index per run remembers what the engine last saw in the tree, so that only files that changed since are read again.

import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../host/files.js';

/** Lends an index file of its own to `use` and removes it after. `from: 'tree'` starts with what the engine remembers of the run's tree. */
export async function withIndex<T>(engineDir: string, from: 'tree' | 'nothing', use: (indexFile: string) => Promise<T>): Promise<T> {
  const folder = join(engineDir, 'indexes', randomUUID());
  await mkdir(folder, { recursive: true });
  const indexFile = join(folder, 'index');
  try {
    if (from === 'tree') await link(rememberedIndex(engineDir), indexFile).catch(ignoreMissing);
    return await use(indexFile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes a lent index what the engine remembers of the run's tree. */
export async function rememberIndex(engineDir: string, indexFile: string): Promise<void> {
  await rename(indexFile, rememberedIndex(engineDir));
}

/** A copy for a repository that others may write to. Keeps the time of the original, by which git tells which entries it must read again. */
export async function copyIndex(indexFile: string, to: string): Promise<void> {
  const { atimeMs, mtimeMs } = await stat(indexFile);
  await copyFile(indexFile, to);
  await utimes(to, Math.floor(atimeMs) / 1000, Math.floor(mtimeMs) / 1000);
}

const rememberedIndex = (engineDir: string): string => join(engineDir, 'tree.index');

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}
