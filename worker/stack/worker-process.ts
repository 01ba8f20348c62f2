// Owns the one background worker of the local stack: how it is started, and when it counts as ready.
// Never stops the agents a worker has started: they outlive it by design.
import { isAlive, type ProcessIdentity, readIdentity } from '../../activities/process/identity.js';
import { logTail, startDetached, stopProcess } from './detached.js';
import { StackError } from './error.js';
import { namespaceName } from './namespace.js';
import type { StackPaths } from './paths.js';
import { readReadyFile, removeReadyFile, type WorkerReady } from './ready-file.js';
import { waitUntil } from './wait.js';

const readyMsMax = 30_000;

/** Flags of node for a worker: a small young generation, since its several heaps would otherwise keep some 40 MB of it each while idle. */
export const workerFlags = ['--max-semi-space-size=2'];

/** How long a worker that is to be replaced may take to end, in ms. */
export const workerGraceMs = 10_000;

/** What a worker is started with: the caller's environment reaches it whole, for the agents' logins. */
export interface WorkerStart {
  paths: StackPaths;
  env: NodeJS.ProcessEnv;
  build: string;
  address: string;
  entry: string;
}

/** Starts the worker, hands its identity to `record` at once, and waits until it polls; throws StackError 'worker_failed', and what `record` throws once the worker is gone again. */
export async function startWorker(start: WorkerStart, record: (identity: ProcessIdentity | null) => void): Promise<void> {
  await stopStray(start.paths);
  removeReadyFile(start.paths.workerReady);
  const identity = startDetached(workerCommand(start));
  try {
    record(identity);
  } catch (error) {
    // A full disk: one that is not written down would be nobody's.
    if (identity) await stopProcess(identity, workerGraceMs);
    throw error;
  }
  const ready = identity ? await waitReady(start.paths, identity) : null;
  if (ready?.build === start.build) return;
  if (identity) await stopProcess(identity, workerGraceMs);
  record(null);
  throw workerFailed(start, ready ? `a worker of build ${ready.build}` : 'no worker that polls');
}

/** The worker's word that it polls; null when it ended first or 30 s passed. */
export async function waitReady(paths: StackPaths, identity: ProcessIdentity): Promise<WorkerReady | null> {
  let ready: WorkerReady | null = null;
  await waitUntil(() => {
    const said = readReadyFile(paths.workerReady);
    if (said?.pid === identity.pid && said.startTime === identity.startTime) ready = said;
    return ready !== null || !isAlive(identity);
  }, readyMsMax);
  return ready;
}

function workerCommand({ paths, env, address, entry }: WorkerStart) {
  return {
    command: process.execPath,
    args: [...workerFlags, entry],
    cwd: paths.home,
    env: {
      ...env,
      PDLC_HOME: paths.home,
      PDLC_TEMPORAL_ADDRESS: address,
      PDLC_TEMPORAL_NAMESPACE: namespaceName,
      PDLC_READY_FILE: paths.workerReady,
    },
    log: paths.workerLog,
  };
}

/** A ready worker that lives, whether stack.json knows it or not; its starter may have died before it could write. */
export function findStray(paths: StackPaths): ProcessIdentity | null {
  const said = readReadyFile(paths.workerReady);
  const identity = said ? readIdentity(said.pid) : null;
  return identity?.startTime === said?.startTime ? identity : null;
}

async function stopStray(paths: StackPaths): Promise<void> {
  const stray = findStray(paths);
  if (stray) await stopProcess(stray, workerGraceMs);
}

function workerFailed({ paths, build }: WorkerStart, found: string): StackError {
  const message = [
    `The background worker did not start: expected one of build ${build} to poll within ${readyMsMax} ms, found ${found}.`,
    logTail(paths.workerLog),
    `Whole log: ${paths.workerLog}`,
    'Then run: pdlc up',
  ];
  return new StackError('worker_failed', message.join('\n'));
}
