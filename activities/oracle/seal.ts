// Owns which files a stage may not change: all tests and all deciding configuration of the commit at its entry. The seal is a function of that commit; nothing is stored.
import { listTree } from '../git/lists.js';
import type { Judging } from './judging.js';
import { isDecidingPath, testPathMatcher } from './tables.js';

/** Paths of the seal, to be restored in rooms and in a tree that was tampered with. */
export async function sealedPaths({
  host,
  paths,
  input,
}: Pick<Judging, 'host' | 'paths'> & { input: { run: Judging['input']['run']; seal: string } }): Promise<string[]> {
  const isTest = testPathMatcher(input.run.config.seal.paths);
  const tree = await listTree(host.git, paths.engine, input.seal);
  return [...tree.keys()].filter((path) => isTest(path) || isDecidingPath(path));
}
