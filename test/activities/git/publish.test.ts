// Guarantees of publishing: one ref and its objects arrive, by compare-and-swap, and nothing else of the user's repository changes.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, publishBranch, publishRef } from '../../../activities/git/publish.js';
import {
  armTripWires,
  atMs,
  baseFiles,
  branch,
  captureScene,
  freshDir,
  git,
  makeRepo,
  makeScene,
  pathsOf,
  put,
  type Scene,
  shellGit,
  snapshot,
  statePath,
  trippedIn,
} from './scene.js';

const requestOf = ({ repo, engineDir, base }: Scene, commit: string) => ({ git, repo, engineDir, base, commit, expected: null as string | null, branch });

async function makeWork(dir = makeRepo()) {
  const scene = await makeScene(dir);
  put(scene.tree, { 'src/b.js': 'work' });
  const { commit } = await captureScene(scene);
  return { dir, scene, commit, request: requestOf(scene, commit) };
}

test('state files get a commit of their own that repeats with the same id', async () => {
  const { scene, commit } = await makeWork();
  const files = [
    { path: statePath, text: '{"é":1}\n' },
    { path: 'docs/.pdlc-state/F1.history.jsonl', text: '' },
  ];
  const request = { git, engineDir: scene.engineDir, parent: commit, files, message: 'state', trailers: { 'Pdlc-Run': 'r 1\n2' }, atMs };
  const made = await commitFiles(request);
  expect(await commitFiles(request)).toBe(made);
  expect(pathsOf(scene, made)).toEqual([...Object.keys(baseFiles), 'docs/.pdlc-state/F1.history.jsonl', 'src/b.js'].sort());
  expect(shellGit(scene.engineDir, ['show', `${made}:${statePath}`])).toBe('{"é":1}');
  expect(shellGit(scene.engineDir, ['log', '-1', '--format=%(trailers)', made])).toBe('Pdlc-Run: r 1 2');
});

test('a published branch arrives whole, and all else stays byte for byte, trip wires untouched', async () => {
  const dir = makeRepo();
  const wire = join(freshDir('wire'), 'tripped');
  armTripWires(join(dir, '.git'), wire);
  put(dir, { 'src/a.js': 'dirty', untracked: '1' });
  writeFileSync(join(dir, '.git/index.lock'), '');
  const isOurs = (path: string) => /^\.git\/(objects\/pack\/|refs\/heads\/pdlc|logs\/refs\/heads\/pdlc)/.test(path);
  const before = snapshot(dir, isOurs);
  const { request, commit } = await makeWork(dir);
  await publishBranch(request);
  await publishBranch(request);
  await publishRef({ ...request, ref: 'refs/pdlc/saved/F1/left' });
  expect(snapshot(dir, (path) => isOurs(path) || path.startsWith('.git/refs/pdlc'))).toEqual(before);
  expect(trippedIn(wire)).toBe('');
  rmSync(join(dir, '.git/config'));
  expect(shellGit(dir, ['rev-parse', branch, 'refs/pdlc/saved/F1/left'])).toBe(`${commit}\n${commit}`);
  shellGit(dir, ['fsck', '--strict', '--no-dangling']);
});

test('the published branch needs nothing of the engine', async () => {
  const { dir, scene, request } = await makeWork();
  await publishBranch(request);
  for (const folder of [scene.runDir, scene.cacheDir]) rmSync(folder, { recursive: true });
  expect(shellGit(dir, ['show', `${branch}:src/b.js`])).toBe('work');
  shellGit(dir, ['fsck', '--strict', '--full']);
});

test('a branch moves on from where it was, and one that someone else moved is named', async () => {
  const { dir, scene, request, commit } = await makeWork();
  await publishBranch(request);
  put(scene.tree, { 'src/c.js': '1' });
  const next = await captureScene(scene, { parent: commit });
  await publishBranch({ ...request, commit: next.commit, expected: commit });
  expect(shellGit(dir, ['rev-parse', branch])).toBe(next.commit);
  shellGit(dir, ['update-ref', `refs/heads/${branch}`, scene.base]);
  const moved = publishBranch({ ...request, commit: next.commit, expected: commit });
  await expect(moved).rejects.toMatchObject({ kind: 'branch_moved', message: expect.stringContaining(`expected ${commit}, found ${scene.base}`) });
  await expect(publishBranch(request)).rejects.toMatchObject({ kind: 'branch_moved' });
  shellGit(dir, ['update-ref', '-d', `refs/heads/${branch}`]);
  await expect(publishBranch({ ...request, expected: commit })).rejects.toMatchObject({
    kind: 'branch_moved',
    message: expect.stringContaining('found no such ref'),
  });
});

test('a branch in the way is refused by name, a lock of someone else fails with what git says, and both are left alone', async () => {
  const { dir, request } = await makeWork();
  shellGit(dir, ['branch', 'pdlc']);
  await expect(publishBranch(request)).rejects.toMatchObject({ kind: 'branch_moved', message: expect.stringContaining('found branch pdlc in its way') });
  shellGit(dir, ['branch', '-D', 'pdlc']);
  put(dir, { '.git/refs/heads/pdlc/F1.lock': '' });
  await expect(publishBranch(request)).rejects.toMatchObject({ kind: 'git_failed', message: expect.stringContaining('F1.lock') });
  rmSync(join(dir, '.git/refs/heads/pdlc/F1.lock'));
  await publishBranch(request);
});

test('work arrives whole even where the base is gone from the repository', async () => {
  const { dir, request, commit, scene } = await makeWork();
  shellGit(dir, ['commit', '-q', '--amend', '-m', 'another base']);
  shellGit(dir, ['reflog', 'expire', '--expire=now', '--all']);
  shellGit(dir, ['gc', '-q', '--prune=now']);
  expect(() => shellGit(dir, ['cat-file', '-e', scene.base])).toThrow();
  await publishBranch(request);
  expect(shellGit(dir, ['rev-parse', branch])).toBe(commit);
  shellGit(dir, ['fsck', '--strict', '--full']);
});

test('a shallow repository and a linked worktree get the branch like any other', async () => {
  const full = makeRepo(baseFiles, 'full');
  shellGit(full, ['commit', '-q', '--allow-empty', '-m', 'second']);
  const shallow = join(freshDir('shallow'), 'clone');
  shellGit(freshDir('cwd'), ['clone', '-q', '--depth', '1', `file://${full}`, shallow]);
  const linked = join(freshDir('linked'), 'tree');
  shellGit(full, ['worktree', 'add', '-qb', 'elsewhere', linked]);
  for (const dir of [shallow, linked]) {
    const { request, commit } = await makeWork(dir);
    await publishBranch(request);
    expect(shellGit(dir, ['rev-parse', branch])).toBe(commit);
    shellGit(dir, ['fsck', '--no-dangling']);
  }
});
