// What somebody changed in a checkout that was only to be read. Compares by an index that was put aside; never uses the checkout's own `.git`.
import type { Git } from './git.js';

/** Tracked paths of `dir` whose content differs from `indexFile`, deleted ones included; files that git does not track are not looked at. */
export async function editedFiles({ git, engineDir, indexFile, dir }: { git: Git; engineDir: string; indexFile: string; dir: string }): Promise<string[]> {
  const { stdout } = await git(['diff-files', '--name-only', '-z'], { gitDir: engineDir, workTree: dir, indexFile });
  return stdout.split('\0').filter((path) => path !== '');
}
