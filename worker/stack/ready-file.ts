// Owns worker.ready.json: the worker's word that it polls.
// Never counts as proof for another process than the one it names.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const readySchema = z.object({ pid: z.int().positive(), startTime: z.string(), build: z.string() });

/** Which process polls, and the build it runs. */
export type WorkerReady = z.infer<typeof readySchema>;

/** For worker/main.ts: says at PDLC_READY_FILE that this worker polls now. */
export function writeReadyFile(file: string, ready: WorkerReady): void {
  const temporary = `${file}.${ready.pid}`;
  writeFileSync(temporary, JSON.stringify(ready));
  renameSync(temporary, file);
}

/** Reads the file; null when it is absent or says nothing usable. */
export function readReadyFile(file: string): WorkerReady | null {
  try {
    return readySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Takes the word back before another worker is started. */
export function removeReadyFile(file: string): void {
  rmSync(file, { force: true });
}
