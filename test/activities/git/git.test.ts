// Guarantees of the one runner: nothing leaks in, nothing fails quietly, nothing runs for ever.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGit, quoteAlternate } from '../../../activities/git/git.js';
import { freshDir, git, makeRepo, put } from './scene.js';

test('no variable and no configuration of the caller reaches git', async () => {
  const home = freshDir('home');
  put(home, { '.gitconfig': '[user]\n\tname = Leaked\n[commit]\n\tgpgSign = true\n' });
  const dir = makeRepo();
  const before = { ...process.env };
  Object.assign(process.env, { HOME: home, GIT_DIR: '/leaked' });
  try {
    const { stdout } = await git(['config', '--list', '--show-scope'], { cwd: dir });
    expect(stdout).not.toContain('Leaked');
    expect(new Set(stdout.split('\n').map((line) => line.split('\t')[0]))).toEqual(new Set(['local', 'command', '']));
  } finally {
    Object.assign(process.env, before);
    delete process.env.GIT_DIR;
  }
});

test('a code that is no answer is git_failed with the arguments and what git said', async () => {
  await expect(git(['rev-parse', '--verify', 'nothing'], { cwd: makeRepo() })).rejects.toMatchObject({
    kind: 'git_failed',
    message: expect.stringMatching(/^git rev-parse --verify nothing: expected exit code 0, found 128: fatal: Needed a single revision/),
  });
});

test('a git that is not there is git_failed', async () => {
  await expect(createGit({ path: freshDir('empty') })(['version'])).rejects.toMatchObject({
    kind: 'git_failed',
    message: expect.stringContaining('is git installed'),
  });
});

test('a git that does not end is killed at its limit', async () => {
  const dir = freshDir('slow');
  writeFileSync(join(dir, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  await expect(createGit({ path: `${dir}:${process.env.PATH}` })(['version'], { timeoutMs: 200 })).rejects.toMatchObject({
    kind: 'git_failed',
    message: expect.stringContaining('no end after 200 ms'),
  });
});

test('too much output fails, or is cut where the caller allows it', async () => {
  const options = { cwd: makeRepo({ big: 'x'.repeat(200_000) }), outputBytesMax: 1_000 };
  await expect(git(['cat-file', 'blob', 'HEAD:big'], options)).rejects.toMatchObject({ kind: 'git_failed' });
  const { stdout, cut } = await git(['cat-file', 'blob', 'HEAD:big'], { ...options, cut: true });
  expect({ length: stdout.length, cut }).toEqual({ length: 1_000, cut: true });
});

test('an alternate is quoted so that colons, quotes and line breaks stay part of the path', () => {
  expect(quoteAlternate('/a:b/"c"\\\n')).toBe('"/a:b/\\"c\\"\\\\\\n"');
});
