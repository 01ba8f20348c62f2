// Owns the slow path: under the lock, starts what is missing of the local stack, server and worker side by side.
// Never starts a second server or worker beside a live one of this PDLC_HOME.
import { existsSync } from 'node:fs';
import { isAlive } from '../../activities/process/identity.js';
import { explainNotFound, findServerBinary } from './binary.js';
import { beginDatabase, keepDatabase } from './database.js';
import { stopProcess } from './detached.js';
import { StackError } from './error.js';
import { findServer } from './find-server.js';
import { type HeldLock, withStackLock } from './lock.js';
import { databasePath, databasesIn, type StackPaths, stackPaths } from './paths.js';
import { choosePorts } from './ports.js';
import { prepareNamespace } from './prepare-namespace.js';
import { readRecord, type Stack, type StackRecord, serverAddress, stackAt, writeRecord } from './record.js';
import { portOpens, serverFailed, serverGraceMs, startServer } from './server.js';
import { findStray, startWorker, waitReady, workerGraceMs } from './worker-process.js';

/** What the stack is to be brought up with; `workerEntry` is the worker's script, `anyBuild` leaves a worker that lives alone whatever its build, `onServer` is called as soon as the server can be used, when the worker may still be starting. */
export interface StackRequest {
  home: string;
  env: NodeJS.ProcessEnv;
  build: string;
  log: (line: string) => void;
  workerEntry: string;
  onServer?: (stack: Stack) => void;
  anyBuild?: boolean;
}

interface Start {
  request: StackRequest;
  paths: StackPaths;
  lock: HeldLock;
  record: StackRecord;
}

/** Brings the stack up and returns where it is; throws StackError, with whatever did start still recorded. */
export function startMissing(request: StackRequest): Promise<Stack> {
  const paths = stackPaths(request.home);
  return withStackLock(paths, async (lock) => {
    const start: Start = { request, paths, lock, record: await knownRecord(paths) };
    await launchServer(start);
    const usable = makeServerUsable(start).then(() => request.onServer?.(stackAt(start.record.ports)));
    // A worker that lives is not touched for a server that may not come up; a new one loads its code while the server opens its database.
    if (findStray(paths)) await usable;
    // Both are seen to their end before the lock is given back, also when one of them fails.
    const outcomes = await Promise.allSettled([usable.catch((error) => giveUp(start, error)), bringWorkerUp(start)]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return stackAt(start.record.ports);
  });
}

/** What stack.json says, with the server that really lives where the one it names is gone, or nothing is known. */
async function knownRecord(paths: StackPaths): Promise<StackRecord> {
  const read = readRecord(paths);
  if (read && (!read.server || isAlive(read.server.identity))) return read;
  const found = findServer(paths);
  return { ports: read?.ports ?? found?.ports ?? (await choosePorts(null)), server: null, worker: read?.worker ?? null, ...found };
}

async function launchServer(start: Start): Promise<void> {
  const { request, paths, record } = start;
  const known = record.server;
  if (known && isAlive(known.identity)) {
    if (await portOpens(known.identity, record.ports.server)) return;
    await stopProcess(known.identity, serverGraceMs);
  }
  const binary = await findServerBinary(request);
  if (binary.kind === 'not_found') throw new StackError('no_binary', explainNotFound(binary.tried));
  const database = databasePath(paths, binary.version);
  for (const other of existsSync(database) ? [] : databasesIn(paths)) {
    request.log(`The Temporal server is now ${binary.version}: earlier runs stay in ${other}. To see them set PDLC_TEMPORAL_BIN to that version.`);
  }
  const ports = await choosePorts(record.ports);
  start.lock.assertHeld();
  beginDatabase(database);
  const identity = startServer({ paths, ports, binary });
  save(start, { ports, server: identity && { identity, binary: binary.path, version: binary.version, database, ready: false } });
}

async function makeServerUsable(start: Start): Promise<void> {
  const { server, ports } = start.record;
  if (server?.ready) return;
  if (!server || !(await portOpens(server.identity, ports.server))) {
    const ended = server && (await stopProcess(server.identity, serverGraceMs)) === 'not_running';
    save(start, { server: null });
    throw serverFailed(start.paths, ended ? `it ended before port ${ports.server} opened` : `port ${ports.server} did not open`);
  }
  const trouble = await prepareNamespace(serverAddress(ports));
  if (trouble) throw serverFailed(start.paths, trouble);
  keepDatabase(server.database);
  save(start, { server: { ...server, ready: true } });
}

/** A worker that was started for a server that did not come up goes at once, instead of waiting for it. */
async function giveUp(start: Start, error: unknown): Promise<never> {
  const { worker } = start.record;
  if (worker) await stopProcess(worker.identity, workerGraceMs);
  throw error;
}

async function bringWorkerUp(start: Start): Promise<void> {
  const { request, paths, record } = start;
  const address = serverAddress(record.ports);
  const { build } = request;
  const known = record.worker;
  if (known && isAlive(known.identity)) {
    const wanted = (request.anyBuild || known.build === build) && known.address === address;
    if (wanted && (known.ready || (await waitReady(paths, known.identity))?.build === known.build)) {
      return save(start, { worker: { ...known, ready: true } });
    }
    await stopProcess(known.identity, workerGraceMs);
  }
  start.lock.assertHeld();
  await startWorker({ paths, env: request.env, build, address, entry: request.workerEntry }, (identity) =>
    save(start, { worker: identity && { identity, build, address, ready: false } }),
  );
  const worker = start.record.worker;
  save(start, { worker: worker && { ...worker, ready: true } });
}

function save(start: Start, change: Partial<StackRecord>): void {
  start.record = { ...start.record, ...change };
  writeRecord(start.paths, start.record);
}
