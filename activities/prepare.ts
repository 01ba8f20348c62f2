// The prepare activity: repository and tree of the run, dependencies in the tree, and the ground proved before the first agent.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrepareInput, PrepareResult } from '../machines/contract/activities.js';
import type { Ground } from '../machines/contract/verdict.js';
import { ensureTree, refreshTree } from './git/agent-tree.js';
import { ensureEngine } from './git/engine-repo.js';
import { requireBranchAt } from './git/publish.js';
import { findRepository, type Repository } from './git/read.js';
import { moveRef, readRef } from './git/refs.js';
import type { Act } from './host/act.js';
import { type Host, pathsOf } from './host/host.js';
import type { RunPaths } from './host/paths.js';
import { proveGround } from './oracle/ground.js';
import { setupTree } from './oracle/setup.js';
import { withSlot } from './oracle/slot.js';

/** Makes everything ready for a stage. Safe to repeat because repositories and trees are built aside and kept when they exist, and commands are re-attached to. */
export async function prepare(host: Host, input: PrepareInput, act: Act): Promise<PrepareResult> {
  const { run, at, tip } = input;
  const paths = pathsOf(host, input);
  await mkdir(paths.dir, { recursive: true, mode: 0o700 });
  const repo = await findRepository(run.repo, host.git);
  // Before anything is paid for: publishing would refuse, and a run that was read before another one ended is nobody's.
  await requireBranchAt({ git: host.git, repo, branch: run.branch, expected: tip === run.tip ? run.branchTip : tip });
  const engineDir = await ensureEngine({ git: host.git, repo, base: run.base, tip: run.tip, cacheDir: paths.bases, runDir: paths.dir });
  if (run.saveTipAs && run.branchTip) await saveTip(host, { repo, engineDir }, { ref: run.saveTipAs, commit: run.branchTip });
  const request = { git: host.git, runDir: paths.dir, engineDir, branch: run.branch, commit: tip };
  const tree = await ensureTree(request);
  // Since the run began, only commits of state files lie between what the tree holds and the tip.
  if (tip !== run.tip) await refreshTree({ ...request, from: `${tip}^`, label: input.entry === 'judge' ? null : `${at.stage}-${at.step}` });
  const ground = await groundAndSetup({ host, act, paths, input, tree });
  return { tree, ground, notices: noticesOf(ground) };
}

async function saveTip(
  host: Host,
  { repo, engineDir }: { repo: Repository; engineDir: string },
  { ref, commit }: { ref: string; commit: string },
): Promise<void> {
  const found = await readRef(host.git, repo.commonDir, ref);
  if (found === null) await moveRef({ git: host.git, gitDir: repo.commonDir, engineDir, ref, commit, expected: null });
}

type Work = { host: Host; act: Act; paths: RunPaths; input: PrepareInput; tree: string };

async function groundAndSetup({ host, act, paths, input, tree }: Work): Promise<Ground> {
  const { run, tip, at } = input;
  return withSlot(paths, act, async (slot): Promise<Ground> => {
    const place = { host, act, paths, slot, files: run.files };
    const ground: Ground = input.proveGround ? await proveGround(place, input) : { kind: 'skipped' };
    if (ground.kind === 'failed') return ground;
    const end = await setupTree(place, { command: run.config.setup, commit: tip, part: `tree-${at.step}`, tree, marker: join(paths.dir, 'tree-setup') });
    return end.ok
      ? ground
      : { kind: 'failed', fault: 'setup_failed', reason: `setup_failed: in the agent's tree: ${end.reason}\n${end.tail}`.slice(0, 2_000), checks: [] };
  });
}

function noticesOf(ground: Ground): string[] {
  const checks = ground.kind === 'proved' ? ground.checks : [];
  const empty = checks.filter(({ tests }) => tests === 0).map(({ name }) => `${name} found no tests on the base: nothing there can show that something broke`);
  const blind = checks
    .filter(({ name, tests }) => name === 'unit' && tests === null)
    .map(() => 'unit reports no number of tests: red and green are known by exit code alone');
  return [...empty, ...blind];
}
