// Guarantees of what a capture leaves out: it is listed, it is never in the commit, and what was tracked before always counts.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameProblem } from '../../../activities/git/left-out.js';
import { baseFiles, captureScene, freshDir, makeRepo, makeScene, pathsOf, put, shellGit, statePath } from './scene.js';

test('names tell secrets and junk from work', () => {
  const reasons: Record<string, string | undefined> = {};
  const names = [
    '.env',
    'a/.env.local',
    '.ENV',
    'x.pem',
    'id_rsa',
    'id_ed25519.bak',
    '.netrc',
    'credentials.json',
    'node_modules/a/b.js',
    'x/.venv/y',
    'a/__pycache__/m.pyc',
    '.DS_Store',
    '.a.swp',
  ];
  const fine = [
    '.env.example',
    '.env.sample',
    '.env.local.template',
    'id_rsa.pub',
    'env.js',
    'monkey.ts',
    'keys/index.ts',
    'target/a.rs',
    'docs/x.md',
    'node_modules.md',
    '.npmrc',
  ];
  for (const name of names) reasons[name] = nameProblem(name)?.reason;
  expect(
    Object.entries(reasons)
      .filter(([, reason]) => reason === 'secret')
      .map(([name]) => name),
  ).toEqual(names.slice(0, 8));
  expect(
    Object.entries(reasons)
      .filter(([, reason]) => reason === 'junk')
      .map(([name]) => name),
  ).toEqual(names.slice(8));
  expect(fine.filter((name) => nameProblem(name) !== null)).toEqual([]);
});

test('new secrets, junk and huge files are left out and listed, folders once', async () => {
  const scene = await makeScene();
  put(scene.tree, {
    '.env': 'KEY=1',
    '.env.example': 'KEY=',
    'sub/.npmrc': '//registry/:_authToken=abc',
    'other/.npmrc': 'save-exact=true',
    'key [1]*.pem': 'x',
    'node_modules/a/index.js': '1',
    'node_modules/b/index.js': '1',
    'rust/target/CACHEDIR.TAG': 'Signature',
    'rust/target/debug/x': '1',
    'web/target/page.js': '1',
    'big.bin': 'x'.repeat(2_001),
    'edge.bin': 'x'.repeat(2_000),
  });
  const found = await captureScene(scene, { hugeBytes: 2_000 });
  expect(Object.fromEntries(found.omitted.map(({ path, reason }) => [path, reason]))).toEqual({
    '.env': 'secret',
    'sub/.npmrc': 'secret',
    'key [1]*.pem': 'secret',
    'node_modules/': 'junk',
    'rust/target/': 'junk',
    'big.bin': 'huge',
  });
  expect(found.files.sort()).toEqual(['.env.example', 'edge.bin', 'other/.npmrc', 'web/target/page.js']);
});

test('a secret, junk or huge file that was tracked before counts', async () => {
  const files = { '.env': '1', 'node_modules/a.js': '1', big: 'x'.repeat(3_000) };
  const scene = await makeScene(makeRepo({ ...baseFiles, ...files }));
  put(scene.tree, { '.env': '2', 'node_modules/a.js': '2', big: 'y'.repeat(3_000) });
  expect(await captureScene(scene, { hugeBytes: 2_000 })).toMatchObject({ files: ['.env', 'big', 'node_modules/a.js'], omitted: [] });
});

test('an embedded repository is left out and listed, with commits or without, and is never a gitlink', async () => {
  const scene = await makeScene();
  for (const name of ['empty repo', 'full']) {
    put(join(scene.tree, name), { 'x.js': '1' });
    shellGit(join(scene.tree, name), ['init', '-q']);
  }
  shellGit(join(scene.tree, 'full'), ['add', '-A']);
  shellGit(join(scene.tree, 'full'), ['commit', '-qm', 'x']);
  put(scene.tree, { 'beside.js': '1' });
  const found = await captureScene(scene);
  expect(found.omitted).toEqual([
    { path: 'empty repo/', reason: 'embedded_repository' },
    { path: 'full/', reason: 'embedded_repository' },
  ]);
  expect(pathsOf(scene, found.commit)).toEqual([...Object.keys(baseFiles), 'beside.js'].sort());
});

test('names that other file systems take for .git are left out and end no capture', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'GIT~1/x': '1', 'a/.GIT/config': '1', 'git~x': '1' });
  const found = await captureScene(scene);
  expect(found).toMatchObject({ files: ['git~x'], omitted: [{ reason: 'embedded_repository' }, { reason: 'embedded_repository' }] });
});

test('a repository made around tracked files hides no change of them', async () => {
  const scene = await makeScene();
  shellGit(join(scene.tree, 'src'), ['init', '-q']);
  put(scene.tree, { 'src/a.js': 'changed', 'src/new.js': '1' });
  expect((await captureScene(scene)).files).toEqual(['src/a.js', 'src/new.js']);
});

test('state files stay as in the tip, and writing, deleting or replacing them is noted', async () => {
  const tampers: ((tree: string) => void)[] = [
    (tree) => put(tree, { [statePath]: '{"current_stage":"review_done"}' }),
    (tree) => rmSync(join(tree, statePath)),
    (tree) => put(tree, { 'docs/.pdlc-state/F2.json': '{}' }),
    (tree) => {
      rmSync(join(tree, 'docs'), { recursive: true });
      put(tree, { docs: 'a file' });
    },
    (tree) => {
      rmSync(join(tree, 'docs/.pdlc-state'), { recursive: true });
      symlinkSync('/etc', join(tree, 'docs/.pdlc-state'));
    },
    (tree) => put(tree, { [statePath]: 'x', '.gitignore': 'docs/\n' }),
    (tree) => {
      rmSync(join(tree, 'docs'), { recursive: true });
      symlinkSync('/etc', join(tree, 'docs'));
      put(tree, { '.gitignore': 'docs\n' });
    },
  ];
  for (const tamper of tampers) {
    const scene = await makeScene();
    tamper(scene.tree);
    put(scene.tree, { 'src/work.js': '1' });
    const found = await captureScene(scene);
    expect(found.stateTamper).toBe(true);
    expect(found.files.filter((path) => path !== '.gitignore')).toEqual(['src/work.js']);
    expect(shellGit(scene.engineDir, ['rev-parse', `${found.commit}:docs`])).toBe(shellGit(scene.engineDir, ['rev-parse', `${scene.base}:docs`]));
  }
});

test('a pipe behind a link that took the place of a folder ends no capture', async () => {
  const scene = await makeScene(makeRepo({ ...baseFiles, 'lib/x.js': '1' }));
  const outside = freshDir('outside');
  execFileSync('mkfifo', [join(outside, 'x.js')]);
  rmSync(join(scene.tree, 'lib'), { recursive: true });
  symlinkSync(outside, join(scene.tree, 'lib'));
  expect(await captureScene(scene)).toMatchObject({ filesTotal: 2, omitted: [] });
});

test('pipes in place of files end no capture', async () => {
  const scene = await makeScene();
  rmSync(join(scene.tree, 'README.md'));
  execFileSync('mkfifo', [join(scene.tree, 'README.md'), join(scene.tree, 'pipe')]);
  mkdirSync(join(scene.tree, 'x'));
  put(scene.tree, { 'x/y': '1' });
  expect(await captureScene(scene)).toMatchObject({ files: ['x/y'], omitted: [{ path: 'README.md', reason: 'junk' }] });
});
