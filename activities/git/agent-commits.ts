// Takes over commits that an agent made itself, as history below the engine's capture. Its repository is only read, file by file, and never trusted:
// whatever is odd about it means "no agent commits". Must never run git inside it, follow a link in it, or fail because of it.
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import type { Git } from './git.js';
import { nameProblem } from './left-out.js';
import { parseRaw } from './lists.js';
import { alternatesOf, objectsOf } from './skeleton.js';

/** Most commits and most packed bytes that are taken over; above it none is. */
const agentCommitsMax = 1_000;
/** See `agentCommitsMax`. */
const agentPackBytesMax = 134_217_728;
const plainFileBytesMax = 1_048_576;

/** `parent` is the commit that the agent's work must build on. */
export type AgentHistoryRequest = { git: Git; engineDir: string; tree: string; parent: string; hugeBytes: number };

/** Copies the agent's commits on top of `parent` into the engine repository: the newest one and how many. `parent` and 0 when there are none to keep. */
export async function keepAgentCommits(request: AgentHistoryRequest): Promise<{ head: string; count: number }> {
  const none = { head: request.parent, count: 0 };
  try {
    const head = await agentHead(request);
    if (head === null || head === request.parent) return none;
    const count = await acceptableCommits(request, head);
    if (count === 0) return none;
    await takeOver(request, head);
    return { head, count };
  } catch (error) {
    if (error instanceof PdlcError && error.kind === 'git_failed') return none;
    throw error;
  }
}

/** The commit at HEAD by plain file reading; null unless everything on the way is an ordinary file of a repository that borrows only from the engine. */
async function agentHead({ engineDir, tree }: AgentHistoryRequest): Promise<string | null> {
  const gitDir = join(await realpath(tree), '.git');
  for (const folder of ['', 'objects', 'objects/info', 'objects/pack']) if (!(await isOwn(join(gitDir, folder), 'directory'))) return null;
  if ((await plainFile(join(gitDir, 'objects/info/alternates'))) !== alternatesOf(engineDir)) return null;
  const head = (await plainFile(join(gitDir, 'HEAD')))?.trim() ?? '';
  if (isId(head)) return head;
  const ref = /^ref: (refs\/[^\0\n]+)$/.exec(head)?.[1];
  if (!ref || ref.split('/').includes('..')) return null;
  const loose = (await plainFile(join(gitDir, ref)))?.trim();
  if (loose !== undefined) return isId(loose) ? loose : null;
  const packed = (await plainFile(join(gitDir, 'packed-refs'))) ?? '';
  const line = packed.split('\n').find((text) => text.slice(text.indexOf(' ') + 1) === ref);
  const id = line?.slice(0, line.indexOf(' ')) ?? '';
  return isId(id) ? id : null;
}

const isId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** True if this path is what it should be and no part of it is a link. */
async function isOwn(path: string, kind: 'directory' | 'file'): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (!found || !(kind === 'directory' ? found.isDirectory() : found.isFile() && found.size <= plainFileBytesMax)) return false;
  return (await realpath(path)) === path.replace(/\/$/, '');
}

async function plainFile(path: string): Promise<string | undefined> {
  return (await isOwn(path, 'file')) ? readFile(path, 'utf8') : undefined;
}

/** How many commits lead from parent to head; 0 when head does not build on parent or one of them holds what a capture leaves out. */
async function acceptableCommits({ git, engineDir, tree, parent, hugeBytes }: AgentHistoryRequest, head: string): Promise<number> {
  const reading = { gitDir: engineDir, alsoRead: objectsOf(join(tree, '.git')) };
  const ancestry = await git(['merge-base', '--is-ancestor', parent, head], { ...reading, okCodes: [0, 1, 128] });
  if (ancestry.code !== 0) return 0;
  const range = [head, `^${parent}`];
  const count = Number((await git(['rev-list', '--count', ...range], reading)).stdout);
  if (!(count <= agentCommitsMax)) return 0;
  const changes = parseRaw((await git(['log', '--format=', '--raw', '-z', '-m', '--no-renames', '--no-abbrev', ...range, '--'], reading)).stdout);
  const isOdd = changes.some(({ path, status, newMode }) => newMode === '160000' || isLeftOut(path, status === 'added'));
  if (isOdd) return 0;
  const objects = await git(['rev-list', '--objects', `--filter=blob:limit=${hugeBytes + 1}`, '--filter-print-omitted', ...range], reading);
  return /^~/m.test(objects.stdout) ? 0 : count;
}

function isLeftOut(path: string, isNew: boolean): boolean {
  const problem = nameProblem(path);
  return problem !== null && (isNew || problem.reason === 'state_file');
}

/** Every object is read again and its id computed anew, and nothing it names may be missing, so no forged object gets in. */
async function takeOver({ git, engineDir, tree, parent }: AgentHistoryRequest, head: string): Promise<void> {
  const reading = { gitDir: engineDir, alsoRead: objectsOf(join(tree, '.git')) };
  const pack = await git(['pack-objects', '--revs', '--stdout', '--quiet'], { ...reading, input: `${head}\n^${parent}\n`, outputBytesMax: agentPackBytesMax });
  await git(['index-pack', '--stdin', '--strict'], { gitDir: engineDir, input: pack.bytes });
  await git(['cat-file', '-e', `${head}^{commit}`], { gitDir: engineDir });
}
