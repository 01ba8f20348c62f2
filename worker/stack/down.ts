// Owns `stopStack`: worker first, so that it can hand back its tasks, then the server.
// Never forgets the ports or touches the database: the next start goes on where this one ended.
import type { ProcessIdentity } from '../../activities/process/identity.js';
import { type StopOutcome, stopProcess } from './detached.js';
import { findServer } from './find-server.js';
import { withStackLock } from './lock.js';
import { stackPaths } from './paths.js';
import { readRecord, writeRecord } from './record.js';
import { findStray } from './worker-process.js';

/** How the worker and the server came to rest. */
export interface StoppedStack {
  worker: StopOutcome;
  server: StopOutcome;
}

/** Stops both, each with TERM and after `graceMs` with KILL; agents go on. Throws StackError when one cannot be stopped. */
export function stopStack({ home, graceMs }: { home: string; graceMs: number }): Promise<StoppedStack> {
  const paths = stackPaths(home);
  return withStackLock(paths, async () => {
    const record = readRecord(paths);
    const worker = await stopOne(record?.worker?.identity, () => findStray(paths), graceMs);
    const server = await stopOne(record?.server?.identity, () => findServer(paths)?.server.identity, graceMs);
    if (record) writeRecord(paths, { ports: record.ports, server: null, worker: null });
    return { worker, server };
  });
}

/** The recorded process, or the one that lives unrecorded. */
async function stopOne(recorded: ProcessIdentity | undefined, find: () => ProcessIdentity | null | undefined, graceMs: number): Promise<StopOutcome> {
  const outcome = recorded ? await stopProcess(recorded, graceMs) : 'not_running';
  const other = outcome === 'not_running' ? find() : null;
  return other ? stopProcess(other, graceMs) : outcome;
}
