// What somebody changed in a checkout that was only to be read. Compares contents with a commit by a private index; never uses the checkout's own `.git`.
import type { Git } from './git.js';
import { withIndex } from './index-file.js';

/** Tracked paths of `dir` whose content differs from `commit`, deleted ones included; files that git does not track are not looked at. */
export async function editedFiles({ git, engineDir, commit, dir }: { git: Git; engineDir: string; commit: string; dir: string }): Promise<string[]> {
  return withIndex(engineDir, 'nothing', async (indexFile) => {
    const seen = { gitDir: engineDir, workTree: dir, indexFile };
    await git(['read-tree', commit], seen);
    await git(['update-index', '-q', '--refresh'], { ...seen, okCodes: [0, 1] });
    const { stdout } = await git(['diff-files', '--name-only', '-z'], seen);
    return stdout.split('\0').filter((path) => path !== '');
  });
}
