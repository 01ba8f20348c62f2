// Wakes a watcher: when the result of a control directory appears, when its signal aborts, or when the poll is due.
// Must never be the truth: an event may be missing, late or repeated, so whoever is woken looks for himself.
import { type FSWatcher, watch } from 'node:fs';

/** An alarm that remembers a ring between two waits, so that nothing which happens during a look is missed. */
export interface Alarm {
  wait: (timeoutMs: number) => Promise<void>;
  close: () => void;
}

/** Opens the alarm on a directory; close it when done. */
export function openAlarm(dir: string, signal: AbortSignal): Alarm {
  let ring = () => {};
  let rung = new Promise<void>((resolve) => {
    ring = resolve;
  });
  const onAbort = () => ring();
  const watcher = watchFor(dir, 'result', onAbort);
  signal.addEventListener('abort', onAbort);
  return {
    wait: async (timeoutMs) => {
      const timer = setTimeout(onAbort, timeoutMs);
      await rung;
      clearTimeout(timer);
      rung = new Promise((resolve) => {
        ring = resolve;
      });
    },
    close: () => {
      watcher?.close();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Null where the system has no watches left; the poll is enough then. */
function watchFor(dir: string, name: string, onSeen: () => void): FSWatcher | null {
  try {
    const watcher = watch(dir, (_event, file) => file === name && onSeen());
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
