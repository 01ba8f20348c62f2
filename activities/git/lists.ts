// What a commit holds and what differs between two. Must never guess a rename or run a diff program.
import { stateDir } from '../../machines/contract/state-file.js';
import type { Git } from './git.js';

/** One file of a commit: git's mode (`100644`, `100755`, `120000`) and the id of its content. */
export type TreeFile = { mode: string; id: string };

/** One path that differs; the mode of an absent side is `000000`. */
export type TreeChange = { path: string; status: 'added' | 'deleted' | 'modified'; oldMode: string; newMode: string; oldId: string; newId: string };

/** All files of a commit or tree by path, in git's order. */
export async function listTree(git: Git, gitDir: string, commit: string): Promise<Map<string, TreeFile>> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', commit], { gitDir });
  return new Map(
    records(stdout).map((line) => {
      const [mode = '', , id = ''] = line.slice(0, line.indexOf('\t')).split(' ');
      return [line.slice(line.indexOf('\t') + 1), { mode, id }];
    }),
  );
}

/** All paths that differ between two commits or trees. */
export async function diffTrees(git: Git, gitDir: string, { from, to }: { from: string; to: string }): Promise<TreeChange[]> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', from, to], { gitDir });
  return parseRaw(stdout);
}

/** Parses git's raw diff format as printed with -z and without renames. */
export function parseRaw(output: string): TreeChange[] {
  const parts = records(output);
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (parts[index] ?? '').slice(1).split(' ');
    const status = /^0+$/.test(oldMode) ? 'added' : /^0+$/.test(newMode) ? 'deleted' : 'modified';
    changes.push({ path: parts[index + 1] ?? '', status, oldMode, newMode, oldId, newId });
  }
  return changes;
}

/** A patch between two commits as text, ended at `bytesMax`; `cut` says that there is more. */
export async function diffText(
  git: Git,
  gitDir: string,
  { from, to, bytesMax }: { from: string; to: string; bytesMax: number },
): Promise<{ text: string; cut: boolean }> {
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    from,
    to,
    '--',
    `:(exclude)${stateDir}`,
  ];
  const { stdout, cut } = await git(args, { gitDir, outputBytesMax: bytesMax, cut: true });
  return { text: stdout, cut };
}

/** Whether a change only adds lines: every old line is still there, in its order. Binary files, links and deletions are never that; a new file is. */
export async function addedOnly(git: Git, gitDir: string, change: TreeChange): Promise<boolean> {
  if (change.status === 'added') return true;
  if (change.status === 'deleted' || !isFile(change.oldMode) || !isFile(change.newMode)) return false;
  const [before, after] = await Promise.all([change.oldId, change.newId].map((id) => git(['cat-file', 'blob', id], { gitDir })));
  if (!before || !after || before.bytes.includes(0) || after.bytes.includes(0)) return false;
  return isSubsequence(linesOf(before.bytes), linesOf(after.bytes));
}

const isFile = (mode: string): boolean => mode.startsWith('100');

const records = (output: string): string[] => output.split('\0').filter((record) => record !== '');

/** Lines as bytes; a missing line end at the end of the file makes no difference. */
const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').replace(/\n$/, '').split('\n');

function isSubsequence(wanted: string[], lines: string[]): boolean {
  let next = 0;
  for (const line of lines) if (next < wanted.length && line === wanted[next]) next += 1;
  return next === wanted.length;
}
