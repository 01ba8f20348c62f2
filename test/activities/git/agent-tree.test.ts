// Guarantees of the agent's tree: made once, refreshed without losing anything, its `.git` never followed.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureTree, refreshTree } from '../../../activities/git/agent-tree.js';
import { restorePaths } from '../../../activities/git/checkout.js';
import { commitFiles } from '../../../activities/git/publish.js';
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
  put,
  type Scene,
  shellGit,
  snapshot,
  statePath,
  trippedIn,
} from './scene.js';

/** The next stage's start: a capture with a state commit on top. */
async function settle(scene: Scene): Promise<{ from: string; commit: string }> {
  const { commit: from } = await captureScene(scene);
  const files = [{ path: statePath, text: '{"current_stage":"tdd"}\n' }];
  return { from, commit: await commitFiles({ git, engineDir: scene.engineDir, parent: from, files, message: 'state', trailers: {}, atMs }) };
}

const refresh = async (scene: Scene, label: string) => {
  const { engineDir, runDir } = scene;
  const request = { git, engineDir, runDir, branch, label, ...(await settle(scene)) };
  return { request, tree: await refreshTree(request) };
};

test('a tree that exists is kept untouched, and callers at the same time make one', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'kept', 'README.md': 'kept' });
  const before = snapshot(scene.tree);
  const request = { git, runDir: scene.runDir, engineDir: scene.engineDir, branch, commit: scene.base };
  expect(await ensureTree(request)).toBe(scene.tree);
  expect(snapshot(scene.tree)).toEqual(before);
  const runDir = join(freshDir('home'), 'two at once');
  const trees = await Promise.all([1, 2, 3].map(() => ensureTree({ ...request, runDir })));
  expect(new Set(trees).size).toBe(1);
  expect(readdirSync(runDir)).toEqual(['tree']);
});

test('a tree holds the bytes of its commit: line ends, links and modes as they are, no filter run', async () => {
  const dir = makeRepo({ ...baseFiles, '.gitattributes': '* text eol=crlf ident filter=trip\n', 'crlf.txt': 'a\r\nb\n', 'id.txt': '$Id$\n' });
  symlinkSync('crlf.txt', join(dir, 'link'));
  shellGit(dir, ['-c', 'core.attributesFile=/dev/null', 'add', 'link']);
  shellGit(dir, ['commit', '-qm', 'link']);
  const scene = await makeScene(dir);
  for (const path of ['crlf.txt', 'id.txt', 'src/a.js']) {
    expect(shellGit(scene.engineDir, ['hash-object', '--no-filters', join(scene.tree, path)])).toBe(
      shellGit(scene.engineDir, ['rev-parse', `${scene.base}:${path}`]),
    );
  }
  expect(lstatSync(join(scene.tree, 'link')).isSymbolicLink()).toBe(true);
  expect(statSync(join(scene.tree, 'run.sh')).mode & 0o111).not.toBe(0);
});

test('a refresh brings the new commit and keeps dependencies, ignored files and leftovers', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'work', 'node_modules/x/index.js': '1', 'ignored/cache': '1', '.env': 'KEY=1', [statePath]: 'tampered' });
  await refresh(scene, 'implement-2');
  expect(readFileSync(join(scene.tree, statePath), 'utf8')).toBe('{"current_stage":"tdd"}\n');
  for (const path of ['node_modules/x/index.js', 'ignored/cache', '.env']) expect(existsSync(join(scene.tree, path))).toBe(true);
  expect(shellGit(scene.tree, ['status', '--short'])).toBe('?? .env\n?? node_modules/');
  expect(shellGit(scene.tree, ['log', '-1', '--format=%s', branch])).toBe('state');
  expect(await captureScene(scene)).toMatchObject({ files: ['src/a.js'] });
});

test('edits made after the capture survive a refresh', async () => {
  const scene = await makeScene();
  const settled = await settle(scene);
  put(scene.tree, { 'README.md': 'edited by a person' });
  await refreshTree({ git, engineDir: scene.engineDir, runDir: scene.runDir, branch, label: 'next', ...settled });
  expect(shellGit(scene.tree, ['status', '--short'])).toBe('M README.md');
  expect(readFileSync(join(scene.tree, 'README.md'), 'utf8')).toBe('edited by a person');
});

test('what the agent had in its repository is kept aside, and a repeated refresh does nothing', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'stashed' });
  shellGit(scene.tree, ['stash', '-q']);
  const { request } = await refresh(scene, 'implement-2');
  expect(shellGit(scene.runDir, ['--git-dir', join(scene.runDir, 'old-git/implement-2'), 'stash', 'list'])).toContain('WIP on pdlc/F1');
  expect(shellGit(scene.tree, ['stash', 'list'])).toBe('');
  const before = snapshot(scene.tree);
  await refreshTree(request);
  expect(snapshot(scene.tree)).toEqual(before);
});

const broken: Record<string, (tree: string) => void> = {
  'is missing': (tree) => rmSync(join(tree, '.git'), { recursive: true }),
  'is a file that points elsewhere': (tree) => {
    rmSync(join(tree, '.git'), { recursive: true });
    writeFileSync(join(tree, '.git'), `gitdir: ${join(makeRepo(), '.git')}\n`);
  },
  'is a link elsewhere': (tree) => {
    rmSync(join(tree, '.git'), { recursive: true });
    symlinkSync(join(makeRepo(), '.git'), join(tree, '.git'));
  },
};

test.each(Object.entries(broken))('a .git that %s is replaced and never followed', async (_, act) => {
  const scene = await makeScene();
  act(scene.tree);
  await refresh(scene, 'next');
  expect(lstatSync(join(scene.tree, '.git')).isDirectory()).toBe(true);
  expect(shellGit(scene.tree, ['status', '--short', '--branch'])).toBe('## pdlc/F1');
});

test('a refresh runs nothing that the agent configured', async () => {
  const scene = await makeScene();
  const wire = join(freshDir('wire'), 'tripped');
  armTripWires(join(scene.tree, '.git'), wire);
  put(scene.tree, { '.gitattributes': '* filter=trip\n' });
  await refresh(scene, 'next');
  expect(trippedIn(wire)).toBe('');
});

test('restored paths are as in the commit: rewritten, brought back or taken away', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'tampered', 'planted.js': '1', 'other.js': 'kept', 'line\nbreak': '1' });
  rmSync(join(scene.tree, 'run.sh'));
  const paths = ['src/a.js', 'planted.js', 'run.sh', 'line\nbreak', 'never/there'];
  await restorePaths({ git, engineDir: scene.engineDir, tree: scene.tree, commit: scene.base, paths });
  expect(shellGit(scene.tree, ['status', '--short'])).toBe('?? other.js');
});

test('nothing is written or removed through a link that took the place of a folder', async () => {
  const scene = await makeScene(makeRepo({ ...baseFiles, 'lib/x.js': 'x' }));
  const outside = freshDir('outside');
  put(outside, { 'a.js': 'outside', 'planted.js': 'outside', 'x.js': 'outside' });
  for (const name of ['src', 'lib']) {
    rmSync(join(scene.tree, name), { recursive: true });
    symlinkSync(outside, join(scene.tree, name));
  }
  const before = snapshot(outside);
  await restorePaths({ git, engineDir: scene.engineDir, tree: scene.tree, commit: scene.base, paths: ['src/a.js', 'lib/planted.js'] });
  expect(snapshot(outside)).toEqual(before);
  expect(readFileSync(join(scene.tree, 'src/a.js'), 'utf8')).toBe(baseFiles['src/a.js']);
});
