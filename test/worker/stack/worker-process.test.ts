// Checks that no worker is left that nobody knows of.
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stackPaths } from '../../../worker/stack/paths.js';
import { startWorker } from '../../../worker/stack/worker-process.js';
import { freshFolder, pidsOf, removeHome, requestFor } from './support.js';

let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => removeHome(home));

test('a worker that cannot be written down is stopped before that is said', async () => {
  const paths = stackPaths(home);
  mkdirSync(paths.folder, { recursive: true });
  const { env, build, workerEntry } = requestFor(home, '/nowhere');
  const seen: number[] = [];
  const full = () => {
    seen.push(...pidsOf(home, 'fake-worker.mjs'));
    throw new Error('no space left');
  };
  await expect(startWorker({ paths, env, build, address: '127.0.0.1:1', entry: workerEntry }, full)).rejects.toThrow('no space left');
  expect([seen.length, pidsOf(home, 'fake-worker.mjs')]).toEqual([1, []]);
});
