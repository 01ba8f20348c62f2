// Turns what is in an agent's tree into a commit of the engine: private index, fixed identity and dates, a ref the agent cannot reach.
// Must never run a program that the tree or its repository names, follow a link, or change a file of the tree.
import type { Capture } from '../../machines/contract/attempt.js';
import { stateDir } from '../../machines/contract/state-file.js';
import { keepAgentCommits } from './agent-commits.js';
import type { Git, GitOptions } from './git.js';
import { rememberIndex, withIndex } from './index-file.js';
import { diffTrees } from './lists.js';
import { type Words, writeCommit } from './objects.js';
import { setEngineRef } from './refs.js';
import { type Scan, scanTree } from './scan.js';

/** A new file above this many bytes is left out, unless the caller says otherwise. */
const hugeBytesDefault = 52_428_800;
/** How many changed paths and omissions are named, unless the caller says otherwise. */
const filesMaxDefault = 200;

/** `tip` is the verified commit at stage entry, `parent` the commit this work builds on, `alsoOn` an earlier one that a person's commits may build on; `ref` is the full name under which the capture is kept. */
export type CaptureRequest = {
  git: Git;
  engineDir: string;
  tree: string;
  tip: string;
  parent: string;
  alsoOn?: string | undefined;
  ref: string;
  hugeBytes?: number;
  filesMax?: number;
} & Words;

/** Commits the tree into the engine repository; one that is still as at `tip` gets no commit of its own. Safe to repeat because the same tree gives the same commit and a killed call leaves only unnamed objects. */
export async function capture(request: CaptureRequest): Promise<Capture> {
  const { git, engineDir, tree, tip, parent, alsoOn, ref, hugeBytes = hugeBytesDefault, filesMax = filesMaxDefault, ...words } = request;
  const own = await keepAgentCommits({ git, engineDir, tree, parent, hugeBytes });
  const beside = own.count === 0 && alsoOn ? await keepAgentCommits({ git, engineDir, tree, parent: alsoOn, hugeBytes }) : null;
  const parents = beside && beside.count > 0 ? [parent, beside.head] : [own.head];
  const agentCommits = own.count + (beside?.count ?? 0);
  return withIndex(engineDir, 'tree', async (indexFile) => {
    const inTree = { gitDir: engineDir, workTree: tree, indexFile };
    await git(['read-tree', '--reset', tip], inTree);
    const scan = await scanTree(git, inTree, hugeBytes);
    await writeChanges(git, inTree, { ...scan, absent: '0'.repeat(tip.length) });
    const written = (await git(['write-tree'], inTree)).stdout.trim();
    await rememberIndex(engineDir, indexFile);
    const [made, changes] = await Promise.all([
      writeCommit({ git, gitDir: engineDir, tree: written, parents, ...words }),
      diffTrees(git, engineDir, { from: tip, to: written }),
    ]);
    const isNew = changes.length > 0 || parent !== tip || agentCommits > 0;
    const commit = isNew ? made : tip;
    await setEngineRef(engineDir, ref, commit);
    const files = changes.map(({ path }) => path).filter((path) => !path.startsWith(`${stateDir}/`));
    return {
      commit,
      tree: written,
      changed: files.length > 0,
      files: files.slice(0, filesMax),
      filesTotal: files.length,
      omitted: scan.omitted.slice(0, filesMax),
      agentCommits,
      stateTamper: scan.stateTamper,
    };
  });
}

/** Exactly these paths, so that no ignore rule, pathspec or repository in the tree has a say. What is gone goes first: a new file may stand in its place. */
async function writeChanges(git: Git, inTree: GitOptions, { gone, present, absent }: Scan & { absent: string }): Promise<void> {
  const removals = gone.map((path) => `0 ${absent}\t${path}\0`).join('');
  const additions = present.map((path) => `${path}\0`).join('');
  if (removals) await git(['update-index', '-z', '--index-info'], { ...inTree, input: Buffer.from(removals, 'latin1') });
  if (additions) await git(['update-index', '-z', '--add', '--replace', '--stdin'], { ...inTree, input: Buffer.from(additions, 'latin1') });
}
