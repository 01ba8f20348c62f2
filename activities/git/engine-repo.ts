// The engine's own repositories: one cache per base commit and one per run. Must never change the user's repository, whose objects it only reads.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.js';
import { copyHistory } from './objects.js';
import type { Repository } from './read.js';
import { buildOnce, readShallow, writeSkeleton } from './skeleton.js';

/** The last verified commit of a run (and the state commits on top) in its engine repository. */
export const tipRef = 'refs/pdlc/tip';
/** Where the capture of one attempt is kept in the engine repository. */
export const attemptRef = (label: string): string => `refs/pdlc/attempt/${label}`;

/** `base` is a commit of the repository; caches live under `cacheDir`. */
export type BaseRequest = { git: Git; repo: Repository; base: string; cacheDir: string };

/** The bare cache of one base commit: its history and nothing else. Safe to repeat and to run twice at once because it is built aside and moved into place. */
export async function ensureBase({ git, repo, base, cacheDir }: BaseRequest): Promise<string> {
  const dir = join(cacheDir, `${base}.git`);
  await buildOnce(dir, async (aside) => {
    await writeSkeleton(aside, { bare: true, head: unborn, refs: { 'refs/pdlc/base': base }, lender: null, idLength: base.length });
    const shallow = await readShallow(repo.commonDir);
    if (shallow !== null) await writeFile(join(aside, 'shallow'), shallow, { flush: true });
    await copyHistory({ git, from: repo.commonDir, to: aside, want: base, have: [] });
  });
  return dir;
}

/** The engine repository of one run at `<runDir>/engine.git`, its tip at `tip` when it is made. Safe to repeat because one that exists is kept as it is. */
export async function ensureEngine(request: BaseRequest & { runDir: string; tip: string }): Promise<string> {
  const { git, runDir, repo, base, tip } = request;
  const cache = await ensureBase(request);
  const dir = join(runDir, 'engine.git');
  await buildOnce(dir, async (aside) => {
    await writeSkeleton(aside, { bare: true, head: unborn, refs: { [tipRef]: tip, 'refs/pdlc/base': base }, lender: cache, idLength: base.length });
    if (tip !== base) await copyHistory({ git, from: repo.commonDir, to: aside, want: tip, have: [base] });
  });
  return dir;
}

const unborn = 'ref: refs/heads/none';
