// Looks at an agent's tree: what changed since the tip, what of it counts, what is left out and why. Must never follow a link or write anything.
// Paths are held as latin1 text, one character per byte, so that a name in any encoding reaches git exactly.
import type { Stats } from 'node:fs';
import { access, constants, lstat, readFile } from 'node:fs/promises';
import type { Omission } from '../../machines/contract/attempt.js';
import { hasCode } from '../host/files.js';
import type { Git, GitOptions } from './git.js';
import { isStatePath, nameProblem } from './left-out.js';

/** `present` is to be written into the index and `gone` to be taken out of it (latin1), `omitted` is for people; state files are never in the first two. */
export type Scan = { present: string[]; gone: string[]; omitted: Omission[]; stateTamper: boolean };

/** Compares a tree with its index, which holds the tip. New files may be left out by name or size; a tracked one counts whatever it is called. */
export async function scanTree(git: Git, inTree: GitOptions & { workTree: string }, hugeBytes: number): Promise<Scan> {
  const { bytes } = await git(['ls-files', '-z', '-t', '-m', '-o', '--exclude-standard'], inTree);
  const listed = bytes.toString('latin1').split('\0').filter(Boolean);
  const entries = listed.map((line) => ({ isNew: line.startsWith('?'), path: line.slice(2) }));
  const caches = new Set(entries.filter(({ path }) => path.endsWith('/CACHEDIR.TAG')).map(({ path }) => path.slice(0, -'CACHEDIR.TAG'.length)));
  const scan: Scan = { present: [], gone: [], omitted: [], stateTamper: false };
  const named = new Set<string>();
  for (let start = 0; start < entries.length; start += lookedAtOnce) {
    const batch = entries.slice(start, start + lookedAtOnce);
    const fates = await Promise.all(batch.map((entry) => fateOf({ ...entry, caches, workTree: inTree.workTree, hugeBytes })));
    for (const [index, { path }] of batch.entries()) {
      const fate = fates[index] ?? 'present';
      if (typeof fate === 'string') scan[fate].push(path);
      else if (!named.has(fate.path)) {
        named.add(fate.path);
        scan.omitted.push({ path: Buffer.from(fate.path, 'latin1').toString(), reason: fate.reason });
      }
    }
  }
  return { ...scan, stateTamper: scan.omitted.some(({ reason }) => reason === 'state_file') };
}

type Entry = { isNew: boolean; path: string; caches: ReadonlySet<string>; workTree: string; hugeBytes: number };

async function fateOf({ isNew, path, caches, workTree, hugeBytes }: Entry): Promise<'present' | 'gone' | Omission> {
  const problem = isNew || isStatePath(path) ? nameProblem(path, caches) : null;
  if (problem) return problem;
  if (path.endsWith('/')) return { path, reason: 'embedded_repository' };
  if (!isNew && (await isBeyondLink(workTree, path))) return 'gone';
  const file = fileOf(workTree, path);
  const found = await look(file);
  if (found === null || found.isDirectory()) return 'gone';
  if (found.isSymbolicLink()) return 'present';
  // What git cannot read (a pipe, a device, a file without permission) would end the whole capture; the tip's version stays.
  if (!found.isFile() || !(await isReadable(file))) return { path, reason: 'junk' };
  if (isNew && found.size > hugeBytes) return { path, reason: 'huge' };
  if (isNew && /(^|\/)\.npmrc$/.test(path) && npmToken.test(await readFile(file, 'latin1'))) return { path, reason: 'secret' };
  return 'present';
}

/** Whether a part of the path above the file is a link, or anything else that is no folder: then the file itself is not there. */
async function isBeyondLink(workTree: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const found = await look(fileOf(workTree, parts.slice(0, depth).join('/')));
    if (!found?.isDirectory()) return true;
  }
  return false;
}

/** What stands at a path, null for nothing, also behind a folder that may not be entered; a disk that cannot be read is no answer and throws. */
async function look(file: Buffer): Promise<Stats | null> {
  return lstat(file).catch((error) => {
    if (hasCode(error, 'EIO')) throw error;
    return null;
  });
}

const fileOf = (workTree: string, path: string): Buffer => Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(path, 'latin1')]);

const isReadable = (file: Buffer): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  );

const lookedAtOnce = 256;
const npmToken = /_auth(token)?\s*=|_password\s*=/i;
