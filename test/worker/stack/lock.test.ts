// Checks that only one piece of work at a time changes the stack.
// Never starts a server.
import { existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withStackLock } from '../../../worker/stack/lock.js';
import { stackPaths } from '../../../worker/stack/paths.js';
import { freshFolder } from './support.js';

let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('two pieces of work never overlap', async () => {
  let inside = 0;
  const work = () =>
    withStackLock(stackPaths(home), async () => {
      inside += 1;
      await setImmediate();
      expect(inside).toBe(1);
      inside -= 1;
    });
  await Promise.all([work(), work(), work(), work()]);
});

test('the lock is given back when the work throws', async () => {
  const failing = withStackLock(stackPaths(home), () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  expect(existsSync(stackPaths(home).lock)).toBe(false);
});

test('a holder that lost the lock may not go on', async () => {
  await withStackLock(stackPaths(home), async (lock) => {
    lock.assertHeld();
    rmSync(stackPaths(home).lock, { recursive: true });
    await expect.poll(() => isHeld(lock), { timeout: 15_000 }).toBe(false);
  });
}, 20_000);

test('a lock that was left before the clock was set back grows stale from now on', async () => {
  const paths = stackPaths(home);
  mkdirSync(paths.lock, { recursive: true });
  const tomorrow = new Date(Date.now() + 86_400_000);
  utimesSync(paths.lock, tomorrow, tomorrow);
  const waiting = withStackLock(paths, async () => 'held');
  expect(statSync(paths.lock).mtimeMs).toBeLessThanOrEqual(Date.now());
  rmSync(paths.lock, { recursive: true }); // instead of waiting until it is stale
  expect(await waiting).toBe('held');
});

function isHeld(lock: { assertHeld(): void }): boolean {
  try {
    lock.assertHeld();
    return true;
  } catch {
    return false;
  }
}
