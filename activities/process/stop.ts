// Ends a whole process tree: TERM to the group, a grace, KILL to the group, then a sweep by the marker.
// Must never signal a group whose process is not proven to be ours, nor the engine's own group.

import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../host/files.js';
import { isAlive, type ProcessIdentity } from './identity.js';
import { isMarked } from './mark.js';
import { hasProc, readStat } from './proc.js';
import { membersOf, type SweepReport, sweep } from './sweep.js';

const gonePollMs = 10;

/** Whose tree it is: the control group is null where none is known. */
export type Owner = { token: string; group: string | null };

/** Ends the process group of `identity` (nobody's when null or no longer alive), waiting up to graceMs after TERM, then sweeps. */
export async function stopTree({ token, group: controlGroup }: Owner, identity: ProcessIdentity | null, graceMs: number): Promise<SweepReport> {
  // Taken first: once a parent is dead, a child that hides its environment can no longer be traced to it.
  const known = await membersOf(token);
  const group = identity === null || (hasProc && !(await isMarked(identity.pid, token))) ? null : groupOf(identity);
  if (group !== null && signalGroup(group, 'SIGTERM') && !(await isGroupGone(group, graceMs))) signalGroup(group, 'SIGKILL');
  return sweep(token, { known, group: controlGroup });
}

function groupOf(identity: ProcessIdentity): number | null {
  const group = readGroup(identity.pid);
  const isOurs = group !== null && group > 1 && group !== readGroup(process.pid) && isAlive(identity);
  return isOurs ? group : null;
}

function readGroup(pid: number): number | null {
  if (hasProc) return readStat(pid)?.group ?? null;
  try {
    return Number.parseInt(execFileSync('/bin/ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }), 10) || null;
  } catch {
    return null;
  }
}

async function isGroupGone(group: number, graceMs: number): Promise<boolean> {
  const deadline = performance.now() + graceMs;
  while (signalGroup(group, 0)) {
    if (performance.now() >= deadline) return false;
    await sleep(gonePollMs);
  }
  return true;
}

/** False when the group has no process left that we may signal. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
}
