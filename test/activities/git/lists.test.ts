// Guarantees of lists and diffs: whole, exact about names, never guessing.
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addedOnly, diffText, diffTrees, listTree } from '../../../activities/git/lists.js';
import { git, makeRepo, put, shellGit } from './scene.js';

function commitChange(dir: string, change: () => void): { from: string; to: string } {
  const from = shellGit(dir, ['rev-parse', 'HEAD']);
  change();
  shellGit(dir, ['add', '-A']);
  shellGit(dir, ['commit', '-qm', 'change']);
  return { from, to: shellGit(dir, ['rev-parse', 'HEAD']) };
}

test('a tree is listed with modes and ids under its literal names', async () => {
  const dir = makeRepo({ 'a b': '1', 'x\ty\nz': '2', 'run.sh': '3' });
  symlinkSync('a b', join(dir, 'é'));
  const { to } = commitChange(dir, () => {});
  const found = await listTree(git, join(dir, '.git'), to);
  const modes = [...found].map(([path, { mode }]) => [path, mode]);
  expect(modes).toEqual([
    ['a b', '100644'],
    ['run.sh', '100755'],
    ['x\ty\nz', '100644'],
    ['é', '120000'],
  ]);
  expect(found.get('a b')?.id).toBe(shellGit(dir, ['rev-parse', 'HEAD:a b']));
});

test('a diff names every path once, renames as two', async () => {
  const dir = makeRepo({ old: 'content', changed: '1', mode: '1', gone: '1' });
  const range = commitChange(dir, () => {
    rmSync(join(dir, 'old'));
    rmSync(join(dir, 'gone'));
    chmodSync(join(dir, 'mode'), 0o755);
    put(dir, { 'new\nname': 'content', changed: '2' });
  });
  const found = await diffTrees(git, join(dir, '.git'), range);
  expect(found.map(({ path, status }) => [path, status])).toEqual([
    ['changed', 'modified'],
    ['gone', 'deleted'],
    ['mode', 'modified'],
    ['new\nname', 'added'],
    ['old', 'deleted'],
  ]);
  expect(await diffTrees(git, join(dir, '.git'), { from: range.to, to: range.to })).toEqual([]);
});

test('a patch is text up to its limit and says when it is cut', async () => {
  const dir = makeRepo({ a: 'one\n' });
  const range = commitChange(dir, () => put(dir, { a: 'two\n' }));
  const whole = await diffText(git, join(dir, '.git'), { ...range, bytesMax: 10_000 });
  expect(whole).toMatchObject({ text: expect.stringContaining('-one\n+two\n'), cut: false });
  expect(await diffText(git, join(dir, '.git'), { ...range, bytesMax: 20 })).toEqual({ text: whole.text.slice(0, 20), cut: true });
});

const cases: { what: string; before: string | null; after: string | null; expected: boolean }[] = [
  { what: 'a line added in the middle', before: 'a\nb\n', after: 'a\nx\nb\n', expected: true },
  { what: 'lines added after a file without a line end', before: 'a\nb', after: 'a\nb\nc\n', expected: true },
  { what: 'a new file', before: null, after: 'a\n', expected: true },
  { what: 'a deleted file', before: 'a\n', after: null, expected: false },
  { what: 'a changed line', before: 'a\nb\n', after: 'a\nB\n', expected: false },
  { what: 'a line taken away', before: 'a\nb\n', after: 'a\n', expected: false },
  { what: 'lines in another order', before: 'a\nb\n', after: 'b\na\n', expected: false },
  { what: 'line ends changed', before: 'a\nb\n', after: 'a\r\nb\r\n', expected: false },
  { what: 'a binary file', before: 'a\0\n', after: 'a\0\nb\n', expected: false },
  { what: 'a repeated line taken away', before: 'a\na\nb\n', after: 'a\nb\nc\n', expected: false },
];

test.each(cases)('$what: only added is told exactly', async ({ before, after, expected }) => {
  const dir = makeRepo({ keep: '1', ...(before === null ? {} : { file: before }) });
  const range = commitChange(dir, () => (after === null ? rmSync(join(dir, 'file')) : put(dir, { file: after })));
  const [change] = await diffTrees(git, join(dir, '.git'), range);
  if (!change) throw new Error('no change');
  expect(await addedOnly(git, join(dir, '.git'), change)).toBe(expected);
});

test('a file that became a link is not only added to', async () => {
  const dir = makeRepo({ file: 'target', target: '1' });
  const range = commitChange(dir, () => {
    rmSync(join(dir, 'file'));
    symlinkSync('target', join(dir, 'file'));
  });
  const [change] = await diffTrees(git, join(dir, '.git'), range);
  expect(change && (await addedOnly(git, join(dir, '.git'), change))).toBe(false);
});
