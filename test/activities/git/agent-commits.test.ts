// Guarantees over what an agent does with its own repository: good commits stay as history, everything else is worth nothing and harms nothing.
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { armTripWires, captureScene, freshDir, makeRepo, makeScene, put, type Scene, shellGit, snapshot, statePath, trippedIn } from './scene.js';

const commitAll = (tree: string, message: string): string => {
  shellGit(tree, ['add', '-A']);
  shellGit(tree, ['commit', '-qm', message]);
  return shellGit(tree, ['rev-parse', 'HEAD']);
};

test('the tree is an ordinary clean repository to its agent, in which it can commit', async () => {
  const { tree } = await makeScene();
  expect(shellGit(tree, ['status', '--short', '--branch'])).toBe('## pdlc/F1');
  put(tree, { 'src/b.js': '1' });
  shellGit(tree, ['add', '-A']);
  shellGit(tree, ['commit', '-qm', 'mine']);
  expect(shellGit(tree, ['log', '--format=%s'])).toBe('mine\nbase');
});

test('commits on top of the parent are kept as history below the capture', async () => {
  const scene = await makeScene();
  put(scene.tree, { one: '1' });
  commitAll(scene.tree, 'first');
  put(scene.tree, { two: '2' });
  const head = commitAll(scene.tree, 'second');
  put(scene.tree, { three: '3' });
  const found = await captureScene(scene);
  expect(found).toMatchObject({ agentCommits: 2, files: ['one', 'three', 'two'] });
  expect(shellGit(scene.engineDir, ['rev-parse', `${found.commit}^`])).toBe(head);
  expect(await captureScene(scene)).toEqual(found);
  shellGit(scene.engineDir, ['fsck', '--strict', '--no-dangling']);
});

test('a detached HEAD, packed refs and another branch are followed as long as they build on the parent', async () => {
  const ways: ((tree: string) => void)[] = [
    (tree) => shellGit(tree, ['checkout', '-q', '--detach']),
    (tree) => shellGit(tree, ['pack-refs', '--all']),
    (tree) => shellGit(tree, ['checkout', '-qb', 'other']),
    (tree) => shellGit(tree, ['gc', '-q']),
  ];
  for (const way of ways) {
    const scene = await makeScene();
    put(scene.tree, { one: '1' });
    commitAll(scene.tree, 'first');
    way(scene.tree);
    expect(await captureScene(scene)).toMatchObject({ agentCommits: 1, files: ['one'] });
  }
});

/** Ways to make the agent's history worthless; the tree's work must still be captured on the given parent. */
const worthless: Record<string, (scene: Scene) => void> = {
  'amends the base': ({ tree }) => shellGit(tree, ['commit', '-q', '--amend', '--allow-empty', '-m', 'mine now']),
  'makes an orphan': ({ tree }) => {
    shellGit(tree, ['checkout', '-q', '--orphan', 'fresh']);
    commitAll(tree, 'orphan');
  },
  'commits a secret and takes it away again': ({ tree }) => {
    put(tree, { '.env': 'KEY=1' });
    commitAll(tree, 'oops');
    rmSync(join(tree, '.env'));
    commitAll(tree, 'gone');
  },
  'commits a state file': ({ tree }) => {
    put(tree, { [statePath]: '{}' });
    commitAll(tree, 'state');
    shellGit(tree, ['checkout', '-q', 'HEAD~1', '--', statePath]);
  },
  'commits a gitlink': ({ tree }) => {
    shellGit(tree, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`]);
    shellGit(tree, ['commit', '-qm', 'link']);
    shellGit(tree, ['rm', '-q', '--cached', 'sub']);
  },
  'commits a huge file': ({ tree }) => {
    put(tree, { big: 'x'.repeat(5_000) });
    commitAll(tree, 'big');
    rmSync(join(tree, 'big'));
  },
  'deletes .git': ({ tree }) => rmSync(join(tree, '.git'), { recursive: true }),
  'points .git elsewhere': ({ tree }) => {
    rmSync(join(tree, '.git'), { recursive: true });
    writeFileSync(join(tree, '.git'), `gitdir: ${join(makeRepo(), '.git')}\n`);
  },
  'links .git elsewhere': ({ tree }) => {
    rmSync(join(tree, '.git'), { recursive: true });
    symlinkSync(join(makeRepo(), '.git'), join(tree, '.git'));
  },
  'links HEAD elsewhere': ({ tree }) => {
    rmSync(join(tree, '.git/HEAD'));
    symlinkSync(join(makeRepo(), '.git/HEAD'), join(tree, '.git/HEAD'));
  },
  'borrows from another repository': ({ tree }) => {
    put(tree, { one: '1' });
    commitAll(tree, 'one');
    appendFileSync(join(tree, '.git/objects/info/alternates'), `${join(makeRepo(), '.git/objects')}\n`);
    rmSync(join(tree, 'one'));
  },
  'writes nonsense into HEAD': ({ tree }) => writeFileSync(join(tree, '.git/HEAD'), 'ref: refs/heads/../../../../etc/passwd\n'),
  'loses an object': ({ tree }) => {
    put(tree, { one: 'only here' });
    commitAll(tree, 'one');
    const id = shellGit(tree, ['rev-parse', 'HEAD:one']);
    rmSync(join(tree, '.git/objects', id.slice(0, 2), id.slice(2)));
    rmSync(join(tree, 'one'));
  },
  'forges an object': ({ tree }) => {
    put(tree, { one: 'honest', two: 'forged' });
    commitAll(tree, 'one');
    const [honest, forged] = ['one', 'two']
      .map((name) => shellGit(tree, ['rev-parse', `HEAD:${name}`]))
      .map((id) => join(tree, '.git/objects', id.slice(0, 2), id.slice(2)));
    if (honest === undefined || forged === undefined) throw new Error('no ids');
    rmSync(honest);
    cpSync(forged, honest);
    rmSync(join(tree, 'one'));
    rmSync(join(tree, 'two'));
  },
};

test.each(Object.entries(worthless))('an agent that %s has no commits kept and loses no work', async (_, act) => {
  const scene = await makeScene();
  act(scene);
  put(scene.tree, { 'src/work.js': 'work' });
  const found = await captureScene(scene, { hugeBytes: 2_000 });
  expect(found).toMatchObject({ agentCommits: 0, files: ['src/work.js'] });
  expect(shellGit(scene.engineDir, ['rev-parse', `${found.commit}^`])).toBe(scene.base);
  shellGit(scene.engineDir, ['fsck', '--strict', '--no-dangling']);
});

test('nothing that the agent configures runs in the engine', async () => {
  const scene = await makeScene();
  const wire = join(freshDir('wire'), 'tripped');
  put(scene.tree, { one: '1' });
  commitAll(scene.tree, 'one');
  armTripWires(join(scene.tree, '.git'), wire);
  writeFileSync(join(scene.tree, '.git/info/attributes'), '* filter=trip diff=trip\n');
  put(scene.tree, { '.gitattributes': '* filter=trip diff=trip ident\n', two: '2' });
  expect(await captureScene(scene)).toMatchObject({ agentCommits: 1, files: ['.gitattributes', 'one', 'two'] });
  expect(trippedIn(wire)).toBe('');
});

test('stash, config and branches of the agent stay in its own repository', async () => {
  const dir = makeRepo();
  const before = snapshot(dir);
  const scene = await makeScene(dir);
  put(scene.tree, { 'src/a.js': 'stashed' });
  shellGit(scene.tree, ['stash', '-q']);
  shellGit(scene.tree, ['config', 'core.editor', 'evil']);
  shellGit(scene.tree, ['branch', 'more']);
  shellGit(scene.tree, ['tag', 'v1']);
  await captureScene(scene);
  expect(snapshot(dir)).toEqual(before);
  expect(shellGit(scene.engineDir, ['for-each-ref', '--format=%(refname)'])).toBe('refs/pdlc/attempt/tdd-1-1\nrefs/pdlc/base\nrefs/pdlc/tip');
});

test('capture leaves the agent its tree and repository byte for byte', async () => {
  const scene = await makeScene();
  put(scene.tree, { one: '1', '.env': 'KEY=1' });
  mkdirSync(join(scene.tree, 'empty'));
  commitAll(scene.tree, 'one');
  const before = snapshot(scene.tree);
  await captureScene(scene);
  expect(snapshot(scene.tree)).toEqual(before);
  expect(existsSync(join(scene.engineDir, 'indexes')) ? readdirSync(join(scene.engineDir, 'indexes')) : []).toEqual([]);
});
