// The capture activity: the engine's own commit of what is in the tree. The agent's word and the agent's git configuration have no part in it.
import { attemptId, type CaptureInput } from '../machines/contract/activities.js';
import type { Capture } from '../machines/contract/attempt.js';
import { requireOwnTree } from './git/agent-tree.js';
import { capture as captureTree } from './git/capture.js';
import { attemptRef } from './git/engine-repo.js';
import { type Host, pathsOf } from './host/host.js';

/** Commits the tree. Safe to repeat because the same tree, parent and date give the same commit id, and the ref moves by compare-and-swap. */
export async function capture(host: Host, input: CaptureInput): Promise<Capture> {
  const { run, runKey, at, author, parent, tip, atMs } = input;
  const paths = pathsOf(host, input);
  const trailers = { 'Pdlc-Run': runKey, 'Pdlc-Stage': at.stage, 'Pdlc-Step': String(at.step), 'Pdlc-Attempt': String(at.attempt), 'Pdlc-Author': author };
  const words = { message: `pdlc(${run.featureId}): ${at.stage}, attempt ${at.attempt}`, trailers, atMs };
  await requireOwnTree(paths.tree);
  const alsoOn = author === 'person' && tip !== run.tip ? await earlierTip(host, paths.engine, tip) : undefined;
  return captureTree({ git: host.git, engineDir: paths.engine, tree: paths.tree, tip, parent, alsoOn, ref: attemptRef(attemptId(at)), ...words });
}

/** The tip before the last state commit: a person who commits in a kept tree builds on that one. */
async function earlierTip({ git }: Host, gitDir: string, tip: string): Promise<string> {
  return (await git(['rev-parse', `${tip}^`], { gitDir })).stdout.trim();
}
