// Guarantees of rooms: the bytes of the commit, single files of other commits where asked for, nothing of the agent's.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRoom } from '../../../activities/git/room.js';
import { armTripWires, baseFiles, captureScene, freshDir, git, makeScene, put, shellGit, snapshot, trippedIn } from './scene.js';

test('a room is exactly its commit, a clean detached repository', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'new "é".js': 'new', 'node_modules/x.js': '1', '.env': 'KEY=1', 'ignored/x': '1', '.gitattributes': '* filter=trip ident\n' });
  const { commit } = await captureScene(scene);
  const dir = join(freshDir('room'), "it's a room");
  await makeRoom({ git, engineDir: scene.engineDir, commit, dir });
  expect(shellGit(dir, ['status', '--short', '--branch'])).toBe('## HEAD (no branch)');
  expect(shellGit(dir, ['rev-parse', 'HEAD'])).toBe(commit);
  const files = Object.keys(snapshot(dir, (path) => path === '.git')).filter((path) => !['src', 'docs', 'docs/.pdlc-state'].includes(path));
  expect(files.sort()).toEqual([...Object.keys(baseFiles), '.gitattributes', 'new "é".js'].sort());
  expect(shellGit(dir, ['ls-files', '-z']).split('\0').filter(Boolean).sort()).toEqual(files);
});

test('overlays bring files of another commit or take away what it lacks, drops take files away', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'changed', 'src/planted.js': '1', 'src/test.js': 't' });
  const { commit } = await captureScene(scene);
  const dir = join(freshDir('room'), 'room');
  await makeRoom({
    git,
    engineDir: scene.engineDir,
    commit,
    dir,
    overlay: [{ commit: scene.base, paths: ['src/a.js', 'src/planted.js'] }],
    drop: ['src/test.js', 'not/there'],
  });
  expect(readFileSync(join(dir, 'src/a.js'), 'utf8')).toBe(baseFiles['src/a.js']);
  expect(['src/planted.js', 'src/test.js', 'README.md'].map((path) => existsSync(join(dir, path)))).toEqual([false, false, true]);
});

test('a folder that holds anything is refused as it is', async () => {
  const scene = await makeScene();
  const dir = join(freshDir('room'), 'room');
  mkdirSync(dir);
  put(dir, { mine: '1' });
  await expect(makeRoom({ git, engineDir: scene.engineDir, commit: scene.base, dir })).rejects.toMatchObject({ kind: 'workspace_conflict' });
  expect(Object.keys(snapshot(dir))).toEqual(['mine']);
});

test('a room is made without the agent and without anything it configured', async () => {
  const scene = await makeScene();
  const wire = join(freshDir('wire'), 'tripped');
  put(scene.tree, { '.gitattributes': '* filter=trip\n' });
  const { commit } = await captureScene(scene);
  armTripWires(join(scene.tree, '.git'), wire);
  rmSync(scene.tree, { recursive: true });
  await makeRoom({ git, engineDir: scene.engineDir, commit, dir: join(freshDir('room'), 'room') });
  expect(trippedIn(wire)).toBe('');
});
