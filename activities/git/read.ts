// Facts about the user's repository, for the engine and the CLI. Reads only: takes no lock, writes no file, starts nothing that the repository configures.
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import type { Git } from './git.js';

/** A repository of the user's: top of its checkout, its common git directory (both absolute), the project's name and the commit at HEAD. */
export type Repository = { top: string; commonDir: string; project: string; head: string };

/** The repository around a path. Throws `repository_unusable` when there is none, it is bare, or it has no commit. One git process. */
export async function findRepository(path: string, git: Git): Promise<Repository> {
  if (!(await isDirectory(path))) throw unusable(path, 'expected a directory, found none');
  const { code, stdout } = await git(['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir', 'HEAD^{commit}'], {
    cwd: path,
    okCodes: [0, 128],
  });
  const [top, dir, head, ...rest] = stdout.split('\n');
  if (code !== 0 || !top || !dir || !head) throw unusable(path, await whyNot(path, git));
  if (rest.join('') !== '') throw unusable(path, 'its path holds a line break; move it to a path without one');
  const commonDir = await realpath(dir);
  return { top, commonDir, project: projectName(commonDir), head };
}

/** `findRepository`, and a check that HEAD can be checked out elsewhere as it is: submodules and filters such as LFS are refused by name. */
export async function openRepository(path: string, git: Git): Promise<Repository> {
  const repository = await findRepository(path, git);
  const problem = await contentProblem(repository, repository.head, git);
  if (problem !== null) throw unusable(path, problem);
  return repository;
}

/** What in a commit keeps a plain checkout from being complete (submodules, files behind a filter), in words; null when nothing does. */
async function contentProblem({ top, commonDir }: Repository, commit: string, git: Git): Promise<string | null> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', commit], { gitDir: commonDir });
  const entries = stdout.split('\0').map((line) => ({ mode: line.slice(0, 6), path: line.slice(line.indexOf('\t') + 1) }));
  const submodules = entries.filter(({ mode }) => mode === '160000').map(({ path }) => path);
  if (submodules.length > 0) return `expected no submodules, found ${some(submodules)}; clean checkouts would lack their files, so pdlc does not work here`;
  const attributes = entries.filter(({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes')).map(({ path }) => path);
  if (attributes.length === 0) return null;
  const filters = (await Promise.all(attributes.map((path) => filtersIn({ commonDir, commit, path, git })))).flat();
  const filtered = await filesBehind(top, [...new Set(filters)], git);
  if (filtered.length === 0) return null;
  return `expected plain files, found filter ${some(filters)} on ${some(filtered)}; clean checkouts would hold unfiltered files, so pdlc does not work here`;
}

/** A file at a commit, read whole: its bytes, or why there are none. Symlinks and directories count as missing. */
export type Blob = { kind: 'found'; bytes: Buffer } | { kind: 'missing' } | { kind: 'too_large'; sizeBytes: number };

/** Reads one file of a commit if it has at most `bytesMax` bytes. `path` is taken literally, from the repository's root. */
export async function readBlob(request: { git: Git; gitDir: string; commit: string; path: string; bytesMax: number }): Promise<Blob> {
  const { git, gitDir, commit, path, bytesMax } = request;
  const { stdout } = await git(['ls-tree', '-z', '-l', '--full-tree', commit, '--', path], { gitDir, env: { GIT_LITERAL_PATHSPECS: '1' } });
  const found = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t/.exec(stdout);
  if (!found?.[1] || stdout !== `${found[0]}${path}\0`) return { kind: 'missing' };
  const sizeBytes = Number(found[2]);
  if (sizeBytes > bytesMax) return { kind: 'too_large', sizeBytes };
  return { kind: 'found', bytes: (await git(['cat-file', 'blob', found[1]], { gitDir, outputBytesMax: bytesMax + 1 })).bytes };
}

/**
 * Several files of commits as text in one process, null for those that are missing; `paths` must have no line break.
 * Only for files that the engine wrote itself: a link there would be read as its own text.
 */
export async function readTexts({
  git,
  gitDir,
  files,
  bytesMax,
}: {
  git: Git;
  gitDir: string;
  files: readonly { commit: string; path: string }[];
  bytesMax: number;
}): Promise<(string | null)[]> {
  const input = files.map(({ commit, path }) => `${commit}:${path}\n`).join('');
  const { bytes } = await git(['cat-file', '--batch'], { gitDir, input, outputBytesMax: bytesMax });
  let at = 0;
  return files.map(() => {
    const end = bytes.indexOf('\n', at);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(bytes.subarray(at, end).toString())?.[1];
    at = end + 1;
    if (size === undefined) return null;
    const text = bytes.subarray(at, at + Number(size)).toString();
    at += Number(size) + 1;
    return text;
  });
}

/** A branch as the engine finds it: `tip` null when there is none; `problem` is what keeps the engine from writing it, in words. */
export type BranchFound = { tip: string | null; problem: string | null };

/** Where a branch of the user's is, and what keeps the engine from writing it: another branch in the way by name, or a checkout of it. One git process. */
export async function findBranch({ commonDir }: Pick<Repository, 'commonDir'>, branch: string, git: Git): Promise<BranchFound> {
  const ref = `refs/heads/${branch}`;
  const parents = ref
    .split('/')
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))
    .slice(2, -1);
  // A pattern also matches everything below it, so parents bring neighbours along.
  const { stdout } = await git(['for-each-ref', '--format=%(refname)%00%(objectname)%00%(worktreepath)%00', ref, ...parents], { gitDir: commonDir });
  const fields = stdout.split('\0');
  const found: BranchFound = { tip: null, problem: null };
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const name = fields[index]?.trimStart() ?? '';
    const checkout = fields[index + 2];
    if (name === ref) found.tip = fields[index + 1] ?? null;
    if (parents.includes(name) || name.startsWith(`${ref}/`)) {
      found.problem ??= `branch ${branch}: expected the name to be free, found branch ${name.slice('refs/heads/'.length)} in its way; rename it with: git branch -m`;
    }
    if (name === ref && checkout)
      found.problem ??= `branch ${branch}: expected it in no checkout, found it checked out in ${checkout}; switch that checkout to another branch`;
  }
  return found;
}

const unusable = (path: string, found: string): PdlcError => new PdlcError('repository_unusable', `repository ${path}: ${found}`);

const some = (names: string[]): string => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function whyNot(path: string, git: Git): Promise<string> {
  const { code, stdout, complaint } = await git(['rev-parse', '--is-bare-repository', '--is-inside-work-tree'], { cwd: path, okCodes: [0, 128] });
  if (code !== 0) return `expected a git repository, found none here or above (${complaint.trim().replace(/\s+/g, ' ')}); go to one, or run: git init`;
  if (stdout.startsWith('true')) return 'expected a checkout, found a bare repository; clone it and run pdlc in the clone';
  if (stdout.includes('false\nfalse')) return 'expected a checkout, found the inside of a git directory; go to its checkout';
  return 'expected at least one commit, found none at HEAD; commit first';
}

/** Base name and digest of the common git directory, so that all checkouts of one repository are one project. */
function projectName(commonDir: string): string {
  const own = basename(commonDir);
  const name = (own.startsWith('.') ? basename(dirname(commonDir)) : own.replace(/\.git$/, '')).replace(/[^A-Za-z0-9._]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  return `${name.slice(0, 40) || 'project'}-${createHash('sha256').update(commonDir).digest('hex').slice(0, 8)}`;
}

async function filtersIn({ commonDir, commit, path, git }: { commonDir: string; commit: string; path: string; git: Git }): Promise<string[]> {
  const blob = await readBlob({ git, gitDir: commonDir, commit, path, bytesMax: attributesBytesMax });
  if (blob.kind !== 'found') return [];
  const lines = blob.bytes
    .toString()
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'));
  return lines.flatMap((line) => [...line.matchAll(/\sfilter=(\S+)/g)].map((match) => match[1] ?? ''));
}

/** Files that one of these filters changes on checkout, by the checkout's own attributes. */
async function filesBehind(top: string, filters: string[], git: Git): Promise<string[]> {
  if (filters.length === 0) return [];
  const { stdout } = await git(['ls-files', '-z', '--', ...filters.map((name) => `:(top,attr:filter=${name.replace(/[^\w,-]/g, '\\$&')})`)], { cwd: top });
  return stdout.split('\0').filter(Boolean);
}

const attributesBytesMax = 1_048_576;
