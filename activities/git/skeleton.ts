// Repositories that the engine makes, written as plain files so that no git has to run where an agent may have been.
// Must never look at what a path held before: every repository is built under a name nobody uses and then moved into place.

import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../host/files.js';
import { identity, quoteAlternate } from './git.js';

/** Left-over builds of killed engines are removed when they are older than this, in ms. */
const staleBuildMs = 3_600_000;

/** `lender` is the git directory whose objects (and shallow boundary) are borrowed, null for none; `refs` are full names with their commits. */
export type Skeleton = { bare: boolean; head: string; refs: Record<string, string>; lender: string | null; idLength: number };

/** Writes a git directory at `dir`, which must not exist. Its own attributes switch every conversion off, so files are the bytes of their blobs. */
export async function writeSkeleton(dir: string, { bare, head, refs, lender, idLength }: Skeleton): Promise<void> {
  const sha256 = idLength === 64;
  const config = [
    `[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n\tfilemode = true\n\tbare = ${bare}\n\tlogAllRefUpdates = ${bare ? 'always' : 'true'}`,
    ...(sha256 ? ['[extensions]\n\tobjectFormat = sha256'] : []),
    `[user]\n\tname = ${identity.name}\n\temail = ${identity.email}`,
    '[commit]\n\tgpgSign = false',
    '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false',
  ];
  const shallow = lender === null ? null : await readShallow(lender);
  const files: Record<string, string> = {
    HEAD: `${head}\n`,
    config: `${config.join('\n')}\n`,
    'info/attributes': rawAttributes,
    ...(lender === null ? {} : { 'objects/info/alternates': alternatesOf(lender) }),
    ...(shallow === null ? {} : { shallow }),
    ...Object.fromEntries(Object.entries(refs).map(([name, id]) => [name, `${id}\n`])),
  };
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads']) await mkdir(join(dir, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text, { flag: 'wx', flush: true });
  }
}

/** The folder of a git directory that holds its objects. */
export const objectsOf = (gitDir: string): string => join(gitDir, 'objects');

/** The content of an alternates file that borrows from one git directory and from nothing else. */
export const alternatesOf = (lender: string): string => `${quoteAlternate(objectsOf(lender))}\n`;

/** The shallow boundary of a git directory, null when its history is whole. */
export async function readShallow(gitDir: string): Promise<string | null> {
  try {
    return await readFile(join(gitDir, 'shallow'), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Makes `dir` by `build` under another name in the folder `workshop` and moves it into place.
 * Safe to repeat because a `dir` that exists, or that another caller finishes first, is kept.
 */
export async function buildOnce(dir: string, build: (aside: string) => Promise<void>, workshop = dirname(dir)): Promise<void> {
  if (await exists(dir)) return;
  const mark = `.${basename(dir)}.building-`;
  await mkdir(workshop, { recursive: true });
  await removeStale(workshop, mark);
  const aside = join(workshop, `${mark}${randomUUID()}`);
  try {
    await build(aside);
    await rename(aside, dir);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/** Whether anything is at this path, a link itself counts; a failure to look is not an answer and throws. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    },
  );
}

// No driver, no re-encoding, no line-end conversion: an agent's attributes can neither start a program nor change what is judged.
const rawAttributes = '* -text -filter -ident !eol !working-tree-encoding !diff !merge\n';

async function removeStale(workshop: string, mark: string): Promise<void> {
  const names = (await readdir(workshop)).filter((name) => name.startsWith(mark));
  for (const path of names.map((name) => join(workshop, name))) {
    const made = await stat(path).catch(() => null);
    if (made && Date.now() - made.mtimeMs > staleBuildMs) await rm(path, { recursive: true, force: true });
  }
}
