// Owns waiting for a condition.
// Never waits without a limit, which a changed wall clock does not move.
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 20;

/** Polls a condition until it holds; false when `limitMs` passed first. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}
