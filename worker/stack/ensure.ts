// Owns `ensureStack`: the local stack is up when it returns.
// Never takes the lock, and loads nothing of the slow path, while everything is already running.
import { isAlive } from '../../activities/process/identity.js';
import { stackPaths } from './paths.js';
import { accepts } from './ports.js';
import { readRecord, type Stack, type StackRecord, serverAddress, stackAt } from './record.js';
import type { StackRequest } from './start.js';

/**
 * Brings up one server and one worker of `build` unless they run; any number of processes may call it at once. Throws StackError.
 * `onServer` of the request hears of a server that had to be waited for, before its worker polls.
 */
export async function ensureStack(request: StackRequest): Promise<Stack> {
  const known = readRecord(stackPaths(request.home));
  if (known && (await isUp(known, request))) return stackAt(known.ports);
  const { startMissing } = await import('./start.js');
  return startMissing(request);
}

/** The URL of the web UI of a PDLC_HOME's stack as last started, null when there never was one; starts nothing and asks nobody. */
export function knownUiUrl(home: string): string | null {
  const known = readRecord(stackPaths(home));
  return known && stackAt(known.ports).uiUrl;
}

async function isUp({ ports, server, worker }: StackRecord, { build, anyBuild }: StackRequest): Promise<boolean> {
  if (!server?.ready || !worker?.ready) return false;
  if ((!anyBuild && worker.build !== build) || worker.address !== serverAddress(ports)) return false;
  return isAlive(server.identity) && isAlive(worker.identity) && accepts(ports.server);
}
