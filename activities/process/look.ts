// What state the process of one control directory is in, judged by its records and the kernel alone.
// Must never call a process finished without a result, or alive by its pid only.
import { readResult, type StartRecord } from './control-dir.js';
import { isAlive, type ProcessIdentity } from './identity.js';

/** `running`: a result will come. `finished`: status is the shell's. `lost`: the supervisor is gone and left no result. */
export type State = { state: 'running' } | { state: 'finished'; status: number } | { state: 'lost' };

/** The state of a started process. */
export async function look(dir: string, started: StartRecord): Promise<State> {
  // Asked before the result is read: a supervisor that is gone can no longer write one.
  const alive = isAlive(supervisorOf(started));
  const status = await readResult(dir);
  if (status !== null) return { state: 'finished', status };
  return alive ? { state: 'running' } : { state: 'lost' };
}

/** The identity of the supervisor in a start record; it leads the process group. */
export function supervisorOf({ supervisor, bootId }: StartRecord): ProcessIdentity {
  return { ...supervisor, bootId };
}
