// Owns the reading of the local stack for `status` and `doctor`.
// Never starts, stops or repairs anything, and never calls something alive that it has not just looked at.
import { isAlive } from '../../activities/process/identity.js';
import { namespaceName } from './namespace.js';
import { stackPaths } from './paths.js';
import { accepts } from './ports.js';
import { readRecord, serverAddress, stackAt } from './record.js';

/** `starting`: alive but not yet seen to be ready. `deaf`: alive, but its port does not answer. */
export type ServerStatus =
  | { state: 'stopped' }
  | {
      state: 'running' | 'starting' | 'deaf';
      pid: number;
      address: string;
      uiUrl: string;
      version: string;
      binary: string;
      database: string;
    };

/** `starting`: alive but not yet seen to poll. */
export type WorkerStatus = { state: 'stopped' } | { state: 'running' | 'starting'; pid: number; build: string };

/** The local stack as it is now, with the logs to read when something is wrong. */
export interface StackStatus {
  namespace: string;
  server: ServerStatus;
  worker: WorkerStatus;
  logs: { server: string; worker: string };
}

/** Looks at the processes and the port of the local stack in this PDLC_HOME. */
export async function stackStatus(home: string): Promise<StackStatus> {
  const paths = stackPaths(home);
  const record = readRecord(paths);
  const logs = { server: paths.serverLog, worker: paths.workerLog };
  const stopped = { state: 'stopped' } as const;
  if (!record) return { namespace: namespaceName, server: stopped, worker: stopped, logs };
  const { ports, server, worker } = record;
  const answers = await accepts(ports.server);
  return {
    namespace: namespaceName,
    server:
      server && isAlive(server.identity)
        ? {
            state: answers ? (server.ready ? 'running' : 'starting') : 'deaf',
            pid: server.identity.pid,
            address: serverAddress(ports),
            uiUrl: stackAt(ports).uiUrl,
            version: server.version,
            binary: server.binary,
            database: server.database,
          }
        : stopped,
    worker: worker && isAlive(worker.identity) ? { state: worker.ready ? 'running' : 'starting', pid: worker.identity.pid, build: worker.build } : stopped,
    logs,
  };
}
