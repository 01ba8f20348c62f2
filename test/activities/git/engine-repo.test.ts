// Guarantees of the engine's own repositories: exactly one base's history, made once, and the user's repository untouched.
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureBase, ensureEngine } from '../../../activities/git/engine-repo.js';
import { findRepository } from '../../../activities/git/read.js';
import { armTripWires, baseFiles, captureScene, freshDir, git, makeRepo, makeScene, put, shellGit, snapshot, trippedIn } from './scene.js';

test('making a run changes no byte of the repository and runs none of its hooks', async () => {
  const dir = makeRepo();
  const wire = join(freshDir('wire'), 'tripped');
  armTripWires(join(dir, '.git'), wire);
  put(dir, { 'src/a.js': 'dirty' });
  const before = snapshot(dir);
  const scene = await makeScene(dir);
  put(scene.tree, { x: '1' });
  await captureScene(scene);
  expect(snapshot(dir)).toEqual(before);
  expect(trippedIn(wire)).toBe('');
});

test('an engine repository holds the history of its base and nothing else', async () => {
  const dir = makeRepo();
  put(dir, { secret: 'on another branch' });
  shellGit(dir, ['checkout', '-qb', 'other']);
  shellGit(dir, ['add', '-A']);
  shellGit(dir, ['commit', '-qm', 'other']);
  const other = shellGit(dir, ['rev-parse', 'HEAD']);
  shellGit(dir, ['checkout', '-q', 'main']);
  const scene = await makeScene(dir);
  expect(shellGit(scene.tree, ['log', '--all', '--format=%s'])).toBe('base');
  expect(() => shellGit(scene.tree, ['cat-file', '-e', other])).toThrow();
  for (const repository of [scene.engineDir, scene.tree, join(scene.cacheDir, `${scene.base}.git`)]) shellGit(repository, ['fsck', '--strict']);
});

test('callers at the same time end with one whole repository and no leftovers', async () => {
  const repo = await findRepository(makeRepo(), git);
  const home = freshDir('home');
  const request = { git, repo, base: repo.head, tip: repo.head, cacheDir: join(home, 'cache'), runDir: join(home, 'run') };
  const dirs = await Promise.all([1, 2, 3, 4].map(() => ensureEngine(request)));
  expect(new Set(dirs)).toEqual(new Set([join(home, 'run', 'engine.git')]));
  expect([readdirSync(join(home, 'cache')), readdirSync(join(home, 'run'))]).toEqual([[`${repo.head}.git`], ['engine.git']]);
  shellGit(dirs[0] ?? '', ['fsck', '--strict']);
});

test('what a killed engine left half built is removed once it is old, and never used', async () => {
  const repo = await findRepository(makeRepo(), git);
  const cacheDir = join(freshDir('home'), 'cache');
  const [old, fresh] = ['1', '2'].map((mark) => join(cacheDir, `.${repo.head}.git.building-${mark}`));
  for (const dir of [old, fresh]) mkdirSync(dir ?? '', { recursive: true });
  utimesSync(old ?? '', 1, 1);
  await ensureBase({ git, repo, base: repo.head, cacheDir });
  expect([existsSync(old ?? ''), existsSync(fresh ?? '')]).toEqual([false, true]);
});

test('a later run starts at the tip of its branch on the same base', async () => {
  const dir = makeRepo();
  const base = shellGit(dir, ['rev-parse', 'HEAD']);
  shellGit(dir, ['commit', '-q', '--allow-empty', '-m', 'stage']);
  const repo = await findRepository(dir, git);
  const home = freshDir('home');
  const engine = await ensureEngine({ git, repo, base, tip: repo.head, cacheDir: join(home, 'cache'), runDir: join(home, 'run') });
  expect(shellGit(engine, ['log', '--format=%s', 'refs/pdlc/tip'])).toBe('stage\nbase');
  expect(readdirSync(join(home, 'cache'))).toEqual([`${base}.git`]);
});

test('a shallow repository and one of the other object format work like any other', async () => {
  const full = makeRepo(baseFiles, 'full');
  shellGit(full, ['commit', '-q', '--allow-empty', '-m', 'second']);
  const shallow = join(freshDir('shallow'), 'clone');
  shellGit(freshDir('cwd'), ['clone', '-q', '--depth', '1', `file://${full}`, shallow]);
  const sha256 = freshDir('sha256');
  shellGit(sha256, ['init', '-q', '--object-format=sha256']);
  put(sha256, baseFiles);
  shellGit(sha256, ['add', '-A']);
  shellGit(sha256, ['commit', '-qm', 'base']);
  for (const dir of [shallow, sha256]) {
    const scene = await makeScene(dir);
    put(scene.tree, { one: '1' });
    expect(shellGit(scene.tree, ['status', '--short'])).toBe('?? one');
    shellGit(scene.tree, ['add', '-A']);
    shellGit(scene.tree, ['commit', '-qm', 'mine']);
    expect(await captureScene(scene)).toMatchObject({ files: ['one'], agentCommits: 1 });
    shellGit(scene.engineDir, ['fsck', '--strict', '--no-dangling']);
  }
});

test('a base that is not in the repository is git_failed and leaves nothing behind', async () => {
  const repo = await findRepository(makeRepo(), git);
  const cacheDir = join(freshDir('home'), 'cache');
  await expect(ensureBase({ git, repo, base: '1'.repeat(40), cacheDir })).rejects.toMatchObject({ kind: 'git_failed' });
  expect(readdirSync(cacheDir)).toEqual([]);
});
