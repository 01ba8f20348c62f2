// Owns the few file operations that need more care than one call: files that appear whole, removing trees that a check made read-only, folders of our own,
// and telling what is not there. Must never let half a file stand under its name, nor take a failed sync for a written file.
import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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

/** Writes a file of the owner only that appears whole, replacing what was there; synced before it has its name. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  await writeAside(file, content, (aside) => rename(aside, file));
}

/** The same, only if the name is still free; whether it was. A hard link appears whole or not at all. */
export async function writeOnce(file: string, content: string): Promise<boolean> {
  return writeAside(file, content, async (aside) => {
    const isFree = await link(aside, file).then(
      () => true,
      (error) => {
        if (hasCode(error, 'EEXIST')) return false;
        throw error;
      },
    );
    await rm(aside, { force: true });
    return isFree;
  });
}

/** A failed attempt takes its file away again: on a full disk there will be many of them. */
async function writeAside<T>(file: string, content: string | Uint8Array, place: (aside: string) => Promise<T>): Promise<T> {
  const aside = join(dirname(file), `.${randomUUID()}`);
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return await place(aside);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700).catch(() => undefined);
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
}
