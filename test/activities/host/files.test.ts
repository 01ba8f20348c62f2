// Guarantees of file operations: a tree is removed whatever a check did to its modes, and nothing behind a link is.
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDir, removeTree } from '../../../activities/host/files.js';
import { tempDir } from '../../helpers/temp.js';
import { put } from '../git/scene.js';

/** A tree with folders that nobody may write to, and a link to a folder outside. */
function makeTree(): { dir: string; outside: string } {
  const [dir, outside] = [join(tempDir('files'), 'tree é'), tempDir('outside')];
  put(outside, { kept: '1' });
  put(dir, { 'a/b/c.txt': 'c', 'x.txt': 'x' });
  symlinkSync(outside, join(dir, 'a/link'));
  for (const folder of ['a/b', 'a', '.']) chmodSync(join(dir, folder), 0o555);
  return { dir, outside };
}

test('a read-only tree is removed, what its links point to is kept', async () => {
  const { dir, outside } = makeTree();
  await removeTree(dir);
  expect([existsSync(dir), readdirSync(outside), statSync(outside).mode & 0o700]).toEqual([false, ['kept'], 0o700]);
});

test('a missing tree is removed already', async () => {
  await removeTree(join(tempDir('files'), 'not/there'));
});

test('a fresh folder is empty and private, whatever was there', async () => {
  const { dir } = makeTree();
  await freshDir(dir);
  expect([readdirSync(dir), statSync(dir).mode & 0o777]).toEqual([[], 0o700]);
  const deep = join(tempDir('files'), 'a/b');
  mkdirSync(join(deep, '..'));
  await freshDir(deep);
  expect(readdirSync(deep)).toEqual([]);
});
