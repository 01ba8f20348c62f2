// Guarantees of the end of a run: what was left in the tree is saved under a ref before the tree goes, and a repeat finds all done.
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureTree } from '../../activities/git/agent-tree.js';
import { withSlot } from '../../activities/oracle/slot.js';
import { leaveRunning } from '../../activities/process/watch.js';
import { release } from '../../activities/release.js';
import type { ReleaseResult } from '../../machines/contract/activities.js';
import { git, put, shellGit } from './git/scene.js';
import { actOf, makeRun, type Run } from './oracle/run.js';

type Ended = { run: Run; tree: string; end: () => Promise<ReleaseResult> };

async function begun(): Promise<Ended> {
  const run = await makeRun({ runKey: '0123456789' });
  const tree = await ensureTree({ git, engineDir: run.paths.engine, runDir: run.paths.dir, branch: 'pdlc/F1', commit: run.base });
  const end = () => release(run.host, { run: run.run, runKey: run.runKey, tip: run.base, entries: [], final: 'aborted' }, actOf());
  return { run, tree, end };
}

test('a clean tree leaves nothing behind', async () => {
  const { tree, end } = await begun();
  expect([await end(), existsSync(tree)]).toEqual([{ savedRef: null, leftOut: null }, false]);
});

test('what was left is saved under a ref that is told, agent commits included, and stays the same when the end is repeated', async () => {
  const { run, tree, end } = await begun();
  put(tree, { 'src/committed.sh': '1' });
  shellGit(tree, ['add', '-A']);
  shellGit(tree, ['commit', '-qm', 'by the agent']);
  put(tree, { 'src/left é.sh': '2' });
  const savedRef = 'refs/pdlc/saved/F1/01234567';
  expect(await end()).toEqual({ savedRef, leftOut: null });
  const saved = shellGit(run.run.repo, ['rev-parse', savedRef]);
  expect(shellGit(run.run.repo, ['log', '--format=%s', `${run.base}..${savedRef}`])).toBe('pdlc(F1): left in the tree at the end\nby the agent');
  expect([shellGit(run.run.repo, ['show', `${savedRef}:src/left é.sh`]), existsSync(tree), existsSync(join(run.paths.dir, 'old-git/end/HEAD'))]).toEqual([
    '2',
    false,
    true,
  ]);
  expect([await end(), shellGit(run.run.repo, ['rev-parse', savedRef])]).toEqual([{ savedRef, leftOut: null }, saved]);
});

test('an end that was killed while it removed the tree is finished by the next, and saves nothing else', async () => {
  const { run, tree, end } = await begun();
  put(tree, { 'src/left.sh': '2' });
  const first = await end();
  put(join(run.paths.dir, 'tree.gone'), { 'src/half.sh': 'removed' });
  expect([await end(), existsSync(join(run.paths.dir, 'tree.gone'))]).toEqual([first, false]);
});

test('the room slots that the run still holds are given back', async () => {
  const { run, end } = await begun();
  const worker = new AbortController();
  await withSlot(run.paths, actOf({ signal: worker.signal }), async () => worker.abort(leaveRunning));
  expect(existsSync(join(run.paths.rooms, '0.owner'))).toBe(true);
  await end();
  expect(existsSync(join(run.paths.rooms, '0.owner'))).toBe(false);
});

test('files that are never committed are kept where they are told, and so they are when the end is repeated', async () => {
  const { run, tree, end } = await begun();
  put(tree, { '.env.staging': 'KEY=1\n' });
  const leftOut = join(run.paths.dir, 'left-out');
  for (let time = 0; time < 2; time += 1) expect(await end()).toMatchObject({ leftOut });
  expect([readFileSync(join(leftOut, '.env.staging'), 'utf8'), existsSync(tree)]).toEqual(['KEY=1\n', false]);
});

test('a tree that was replaced by a link to another checkout is refused, and what is behind it stays', async () => {
  const { run, tree, end } = await begun();
  rmSync(tree, { recursive: true });
  symlinkSync(run.run.repo, tree);
  await expect(end()).rejects.toMatchObject({ kind: 'workspace_conflict' });
  expect(existsSync(join(run.run.repo, '.git', 'HEAD'))).toBe(true);
});

test('a run that never had a repository ends as well', async () => {
  const { host, run } = await makeRun();
  expect(await release(host, { run, runKey: 'never-began', tip: run.base, entries: [], final: 'aborted' }, actOf())).toEqual({ savedRef: null, leftOut: null });
});
