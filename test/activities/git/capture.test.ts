// Guarantees of capture over ordinary work: everything that counts gets in, byte for byte, and repeating gives the same commit.
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atMs, baseFiles, captureScene, makeRepo, makeScene, pathsOf, put, shellGit, statePath } from './scene.js';

test('an untouched tree is captured as unchanged', async () => {
  const scene = await makeScene();
  const found = await captureScene(scene);
  const tree = shellGit(scene.engineDir, ['rev-parse', `${scene.base}^{tree}`]);
  expect(found).toEqual({ commit: found.commit, tree, changed: false, files: [], filesTotal: 0, omitted: [], agentCommits: 0, stateTamper: false });
});

test('added, changed, deleted, moved and executable files are captured, with fixed identity, date and trailers', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'export const a = 2;\n', 'src/b.js': '', 'ignored/x': 'x' });
  rmSync(join(scene.tree, 'README.md'));
  chmodSync(join(scene.tree, 'run.sh'), 0o644);
  const found = await captureScene(scene);
  expect(found).toMatchObject({ changed: true, files: ['README.md', 'run.sh', 'src/a.js', 'src/b.js'], filesTotal: 4, omitted: [] });
  expect(pathsOf(scene, found.commit)).toEqual(['.gitignore', statePath, 'run.sh', 'src/a.js', 'src/b.js']);
  expect(shellGit(scene.engineDir, ['cat-file', 'commit', found.commit])).toBe(
    [
      `tree ${found.tree}`,
      `parent ${scene.base}`,
      `author pdlc <pdlc@localhost> ${atMs / 1000} +0000`,
      `committer pdlc <pdlc@localhost> ${atMs / 1000} +0000`,
      '',
      'tdd: attempt 1',
      '',
      'Pdlc-Run: r1',
      'Pdlc-Stage: tdd',
    ].join('\n'),
  );
});

test('the same tree gives the same commit, and a changed one moves the ref on', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'new.js': '1' });
  const first = await captureScene(scene);
  expect(await captureScene(scene)).toEqual(first);
  put(scene.tree, { 'new.js': '2' });
  const second = await captureScene(scene);
  expect(second.commit).not.toBe(first.commit);
  expect(shellGit(scene.engineDir, ['rev-parse', 'refs/pdlc/attempt/tdd-1-1'])).toBe(second.commit);
});

test('a change of the same size with its old time put back is seen', async () => {
  const scene = await makeScene();
  const file = join(scene.tree, 'src/a.js');
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'export const a = 9;\n');
  utimesSync(file, atime, mtime);
  expect((await captureScene(scene)).files).toEqual(['src/a.js']);
});

test('odd names are captured as they are', async () => {
  const names = ['-dash', 'two words', 'line\nbreak', 'quo"te\'s', 'tab\there', 'back\\slash', 'é ü 漢', ':(exclude)x', '*', 'A', 'a', 'src/-/:x'];
  const scene = await makeScene();
  put(scene.tree, Object.fromEntries(names.map((name) => [name, name])));
  const found = await captureScene(scene);
  expect([...found.files].sort()).toEqual([...names].sort());
  expect(pathsOf(scene, found.commit)).toEqual([...Object.keys(baseFiles), ...names].sort());
});

test('a name that is not UTF-8 is captured too', async () => {
  const scene = await makeScene();
  writeFileSync(Buffer.concat([Buffer.from(`${scene.tree}/`), Buffer.from('caf\xe9', 'latin1')]), 'x');
  expect((await captureScene(scene)).filesTotal).toBe(1);
});

test('links are captured as links and never followed', async () => {
  const scene = await makeScene();
  symlinkSync('loop', join(scene.tree, 'loop'));
  symlinkSync('..', join(scene.tree, 'src', 'up'));
  symlinkSync('/etc', join(scene.tree, 'etc'));
  const found = await captureScene(scene);
  const modes = shellGit(scene.engineDir, ['ls-tree', '-r', found.commit])
    .split('\n')
    .filter((line) => line.startsWith('120000'));
  expect(modes.map((line) => line.split('\t')[1])).toEqual(['etc', 'loop', 'src/up']);
});

test('a file in place of a folder, a folder in place of a file and a link in place of a folder are captured', async () => {
  const scene = await makeScene(makeRepo({ ...baseFiles, 'one/x': '1', two: '2', 'three/y': '3' }));
  for (const name of ['one', 'two', 'three']) rmSync(join(scene.tree, name), { recursive: true });
  put(scene.tree, { one: 'file', 'two/z': 'folder' });
  symlinkSync('src', join(scene.tree, 'three'));
  const found = await captureScene(scene);
  expect(pathsOf(scene, found.commit)).toEqual([...Object.keys(baseFiles), 'one', 'three', 'two/z'].sort());
});

test('bytes are captured as they are: line ends, empty files and attributes change nothing', async () => {
  const attributes = '* text=auto eol=crlf ident\n*.u16 working-tree-encoding=UTF-16\n';
  const scene = await makeScene(makeRepo({ ...baseFiles, 'crlf.txt': 'a\r\n' }));
  put(scene.tree, { '.gitattributes': attributes, 'dos.txt': 'a\r\nb\r\n', 'mixed.txt': 'a\r\nb\n$Id: x$\n', empty: '', 'x.u16': 'not utf-16' });
  const found = await captureScene(scene);
  expect(found.files.sort()).toEqual(['.gitattributes', 'dos.txt', 'empty', 'mixed.txt', 'x.u16']);
  for (const [path, text] of Object.entries({ 'dos.txt': 'a\r\nb\r\n', 'mixed.txt': 'a\r\nb\n$Id: x$\n', 'x.u16': 'not utf-16' })) {
    expect(shellGit(scene.engineDir, ['cat-file', 'blob', `${found.commit}:${path}`])).toBe(text.trim());
  }
});

test('an ignored file stays out unless it was tracked before', async () => {
  const scene = await makeScene(makeRepo({ ...baseFiles, 'ignored/kept.js': '1' }));
  put(scene.tree, { 'ignored/kept.js': '2', 'ignored/new.js': '1' });
  expect((await captureScene(scene)).files).toEqual(['ignored/kept.js']);
});

test('the list of files is bounded, the count is not', async () => {
  const scene = await makeScene();
  put(scene.tree, Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`many/${index}`, 'x'])));
  expect(await captureScene(scene, { filesMax: 5 })).toMatchObject({ filesTotal: 30, files: { length: 5 } });
});

test('a later attempt builds on the capture before it and is compared with the tip', async () => {
  const scene = await makeScene();
  put(scene.tree, { one: '1' });
  const first = await captureScene(scene);
  put(scene.tree, { two: '2' });
  const second = await captureScene(scene, { parent: first.commit, ref: 'refs/pdlc/attempt/tdd-1-2' });
  expect(second.files).toEqual(['one', 'two']);
  expect(shellGit(scene.engineDir, ['rev-parse', `${second.commit}^`])).toBe(first.commit);
});

test('a missing memory of the tree changes nothing but the work it takes', async () => {
  const scene = await makeScene();
  put(scene.tree, { 'src/a.js': 'x', new: 'y' });
  const warm = await captureScene(scene);
  rmSync(join(scene.engineDir, 'tree.index'));
  expect(await captureScene(scene)).toEqual(warm);
});

test('an empty folder and a tree with nothing in it are no error', async () => {
  const scene = await makeScene();
  for (const name of ['src', 'docs', 'README.md', 'run.sh', '.gitignore']) rmSync(join(scene.tree, name), { recursive: true });
  mkdirSync(join(scene.tree, 'empty'));
  const found = await captureScene(scene);
  expect(found).toMatchObject({ filesTotal: 4, stateTamper: true });
  expect(pathsOf(scene, found.commit)).toEqual([statePath]);
});
