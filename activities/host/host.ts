// Owns what every activity needs of the machine it runs on, handed in once by the worker.

import type { ForRun } from '../../machines/contract/activities.js';
import { PdlcError } from '../../machines/contract/failure.js';
import type { Git } from '../git/git.js';
import type { Detach } from '../process/detach.js';
import { type RunPaths, runPaths } from './paths.js';

/** `home` is $PDLC_HOME (absolute), `hostId` this machine's random id, `detach` starts supervisors, `graceMs` lies between TERM and KILL. */
export type Host = { home: string; hostId: string; git: Git; detach: Detach; graceMs: number };

/** The paths of a run on this host; a run of another host is refused before anything is touched. */
export function pathsOf(host: Host, { run, runKey }: ForRun): RunPaths {
  if (run.hostId === host.hostId) return runPaths(host.home, { project: run.project, featureId: run.featureId, runKey });
  throw new PdlcError('wrong_host', `run ${run.featureId} belongs to host ${run.hostId}, this is ${host.hostId}`);
}
