// Guarantees of reading the user's repository: one clear sentence for what does not work, nothing changed, odd paths read as they are.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBranch, findRepository, openRepository, readBlob } from '../../../activities/git/read.js';
import { armTripWires, baseFiles, branch, freshDir, git, makeRepo, put, shellGit, snapshot, trippedIn } from './scene.js';

test('a repository is found from its top, a folder in it and a linked worktree as one project', async () => {
  const dir = makeRepo(baseFiles, 'My app!');
  const found = await openRepository(dir, git);
  expect(found).toEqual({
    top: dir,
    commonDir: join(dir, '.git'),
    project: expect.stringMatching(/^My-app--[0-9a-f]{8}$|^My-app-[0-9a-f]{8}$/),
    head: shellGit(dir, ['rev-parse', 'HEAD']),
  });
  expect(await openRepository(join(dir, 'src'), git)).toEqual(found);
  const linked = join(freshDir('linked'), 'other name');
  shellGit(dir, ['worktree', 'add', '-qb', 'linked', linked]);
  expect(await openRepository(linked, git)).toEqual({ ...found, top: linked });
});

test('names of projects are never empty and differ for repositories of one base name', async () => {
  const names = await Promise.all(
    [makeRepo(baseFiles, 'ééé'), makeRepo(baseFiles, 'app'), makeRepo(baseFiles, 'app')].map(async (dir) => (await findRepository(dir, git)).project),
  );
  expect(names[0]).toMatch(/^project-[0-9a-f]{8}$/);
  expect(new Set(names).size).toBe(3);
});

const refusals: Record<string, { make: () => string; found: string }> = {
  'a folder that is no repository': { make: () => freshDir('none'), found: 'expected a git repository, found none' },
  'a path that is not there': { make: () => join(freshDir('none'), 'missing'), found: 'expected a directory, found none' },
  'a bare repository': {
    make: () => {
      const dir = freshDir('bare');
      shellGit(dir, ['init', '-q', '--bare']);
      return dir;
    },
    found: 'found a bare repository',
  },
  'a repository without a commit': {
    make: () => {
      const dir = freshDir('unborn');
      shellGit(dir, ['init', '-q']);
      return dir;
    },
    found: 'expected at least one commit',
  },
  'the inside of a git directory': { make: () => join(makeRepo(), '.git'), found: 'found the inside of a git directory' },
  'a repository with submodules': {
    make: () => {
      const dir = makeRepo();
      shellGit(dir, ['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', makeRepo(), 'lib/sub']);
      shellGit(dir, ['commit', '-qm', 'sub']);
      return dir;
    },
    found: 'expected no submodules, found lib/sub',
  },
  'a repository with a filter': {
    make: () => makeRepo({ '.gitattributes': '# filter=no\n*.bin filter=lfs diff=lfs -text\n', 'a.bin': 'x' }),
    found: 'found filter lfs on a.bin',
  },
};

test.each(Object.entries(refusals))('%s is refused with one clear message', async (_, { make, found }) => {
  await expect(openRepository(make(), git)).rejects.toMatchObject({ kind: 'repository_unusable', message: expect.stringContaining(found) });
});

test('a damaged HEAD is refused, not read as something else', async () => {
  const dir = makeRepo();
  writeFileSync(join(dir, '.git/HEAD'), `${'1'.repeat(40)}\n`);
  await expect(openRepository(dir, git)).rejects.toMatchObject({ kind: 'repository_unusable' });
});

test('filters that no file uses, detached HEAD and shallow history are no reason to refuse', async () => {
  const dir = makeRepo({ ...baseFiles, '.gitattributes': '* text=auto\n*.psd filter=lfs\n' });
  shellGit(dir, ['checkout', '-q', '--detach']);
  expect((await openRepository(dir, git)).head).toBe(shellGit(dir, ['rev-parse', 'HEAD']));
  const shallow = join(freshDir('shallow'), 'clone');
  shellGit(dir, ['commit', '-q', '--allow-empty', '-m', 'second']);
  shellGit(dir, ['clone', '-q', '--depth', '1', `file://${dir}`, shallow]);
  expect((await openRepository(shallow, git)).top).toBe(shallow);
});

test('a file of a commit is read by its literal path and within its limit', async () => {
  const odd = ['-x', 'a b', 'é"\'', ':(glob)*', '*', 'line\nbreak'];
  const dir = makeRepo({ ...Object.fromEntries(odd.map((name) => [`d/${name}`, name])), big: 'x'.repeat(100) });
  const read = (path: string) => readBlob({ git, gitDir: join(dir, '.git'), commit: 'HEAD', path, bytesMax: 50 });
  for (const name of odd) expect(await read(`d/${name}`)).toEqual({ kind: 'found', bytes: Buffer.from(name) });
  expect(await read('big')).toEqual({ kind: 'too_large', sizeBytes: 100 });
  for (const path of ['none', 'd', 'd/']) expect(await read(path)).toEqual({ kind: 'missing' });
});

test('a branch is free, at a commit, or blocked by name', async () => {
  const dir = makeRepo();
  const repo = await findRepository(dir, git);
  const found = () => findBranch(repo, branch, git);
  const problem = async () => (await found()).problem;
  expect(await found()).toEqual({ tip: null, problem: null });
  shellGit(dir, ['branch', 'pdlc/F2/x']);
  shellGit(dir, ['branch', branch]);
  expect(await found()).toEqual({ tip: repo.head, problem: null });
  const linked = join(freshDir('linked'), 'w');
  shellGit(dir, ['worktree', 'add', '-q', linked, branch]);
  expect(await problem()).toContain(`found it checked out in ${linked}`);
  rmSync(linked, { recursive: true });
  shellGit(dir, ['worktree', 'prune']);
  shellGit(dir, ['branch', '-D', branch]);
  shellGit(dir, ['branch', `${branch}/x`]);
  expect(await problem()).toContain('found branch pdlc/F1/x in its way');
  shellGit(dir, ['branch', '-D', `${branch}/x`]);
  shellGit(dir, ['branch', '-D', 'pdlc/F2/x']);
  shellGit(dir, ['branch', 'pdlc']);
  expect(await problem()).toContain('found branch pdlc in its way');
});

test('reading changes nothing and starts nothing, dirty index, stale locks and trip wires included', async () => {
  const dir = makeRepo();
  const wire = join(freshDir('wire'), 'tripped');
  armTripWires(join(dir, '.git'), wire);
  put(dir, { 'src/a.js': 'dirty', untracked: '1' });
  mkdirSync(join(dir, 'nested'));
  writeFileSync(join(dir, '.git/index.lock'), '');
  const before = snapshot(dir);
  const repo = await openRepository(dir, git);
  await findBranch(repo, 'main', git);
  await readBlob({ git, gitDir: repo.commonDir, commit: repo.head, path: 'src/a.js', bytesMax: 100 });
  expect(snapshot(dir)).toEqual(before);
  expect(trippedIn(wire)).toBe('');
  rmSync(join(dir, '.git/index.lock'));
  shellGit(dir, ['status']);
  expect(trippedIn(wire)).not.toBe('');
});
