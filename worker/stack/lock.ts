// Owns the one lock under which the local stack is started or stopped.
// Never waits for ever, and never lets a holder that lost the lock start another process.
import { mkdirSync, statSync, utimesSync } from 'node:fs';
import { lock } from 'proper-lockfile';
import { StackError } from './error.js';
import type { StackPaths } from './paths.js';

const staleMs = 10_000;
const retryMs = 50;
const waitMsMax = 300_000;

/** What the holder of the lock may ask: `assertHeld` throws StackError 'busy' once the lock was lost to another process. */
export interface HeldLock {
  assertHeld(): void;
}

/** Runs `work` while no other process starts or stops this stack; throws StackError 'busy' after five minutes of waiting. */
export async function withStackLock<T>(paths: StackPaths, work: (lock: HeldLock) => Promise<T>): Promise<T> {
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  takeBackFuture(paths.lock);
  let lost: Error | null = null;
  const release = await lock(paths.folder, {
    lockfilePath: paths.lock,
    realpath: false,
    stale: staleMs,
    retries: { retries: waitMsMax / retryMs, factor: 1, minTimeout: retryMs, maxTimeout: retryMs },
    onCompromised: (error) => {
      lost = error;
    },
  }).catch((cause: unknown) => {
    throw new StackError('busy', busyMessage(paths), cause);
  });
  try {
    return await work({
      assertHeld: () => {
        if (lost) throw new StackError('busy', busyMessage(paths), lost);
      },
    });
  } finally {
    if (!lost) await release();
  }
}

/** A lock whose holder is gone grows stale by the wall clock; one that was touched before the clock was set back would not for all that time. */
function takeBackFuture(lockPath: string): void {
  const touched = statSync(lockPath, { throwIfNoEntry: false });
  const now = new Date();
  if (!touched || touched.mtimeMs <= now.getTime() + staleMs) return;
  try {
    utimesSync(lockPath, now, now); // a holder that lives sees this before the lock is stale, and starts nothing more
  } catch (error) {
    if (statSync(lockPath, { throwIfNoEntry: false })) throw error;
  }
}

function busyMessage(paths: StackPaths): string {
  const { folder } = paths;
  return `The local stack in ${folder}: expected to start or stop it alone, found another process at it. Run the command again.`;
}
