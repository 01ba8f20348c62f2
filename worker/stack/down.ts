// Owns `stopStack`: worker first, so that it can hand back its tasks, then the server.
// Never forgets the ports or touches the database: the next start goes on where this one ended.
import { type StopOutcome, stopProcess } from './detached.js';
import { withStackLock } from './lock.js';
import { stackPaths } from './paths.js';
import { readRecord, writeRecord } from './record.js';

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
    if (!record) return { worker: 'not_running', server: 'not_running' };
    const worker = record.worker ? await stopProcess(record.worker.identity, graceMs) : 'not_running';
    const server = record.server ? await stopProcess(record.server.identity, graceMs) : 'not_running';
    writeRecord(paths, { ports: record.ports, server: null, worker: null });
    return { worker, server };
  });
}
