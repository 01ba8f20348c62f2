// What holds the processes of an attempt together on this machine, found by trying it.
// Must never promise more than was tried, and leaves nothing behind.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { endGroup, groupOf, makeGroup } from './group.js';
import { lockLimitOf } from './mark.js';
import { hasProc } from './proc.js';

/** The strongest means that works here; each also has all those after it. */
export type Containment = 'cgroup' | 'limit' | 'environment' | 'none';

/** What may outlive an attempt all the same, in words for people. */
export const escapes: Record<Containment, string> = {
  cgroup: 'all that an attempt starts ends at one stroke; only what moves itself out on purpose can stay',
  limit:
    'what clears its environment and leaves its session is found; what takes off its marks on purpose, or for ever forks and ends faster than it can be looked for, can stay',
  environment: 'what clears its environment and has lost its parents can stay',
  none: 'there is no /proc, so only the process group is ended; what leaves it can stay',
};

/** Tries a control group, then the resource limit that marks. */
export function containment(): Containment {
  if (!hasProc) return 'none';
  const token = `probe.${randomUUID()}`;
  if (canJoinGroup(token)) return 'cgroup';
  return canMark(token) ? 'limit' : 'environment';
}

function canJoinGroup(token: string): boolean {
  const group = groupOf(token);
  if (group === null || !makeGroup(group)) return false;
  const joined = shell('echo 0 > "$0/cgroup.procs" && echo joined', group);
  return endGroup(group) && joined.trim() === 'joined';
}

function canMark(token: string): boolean {
  return shell('ulimit -S -x "$0" || ulimit -S -w "$0"; cat /proc/self/limits', lockLimitOf(token)).includes(lockLimitOf(token));
}

function shell(text: string, argument: string): string {
  try {
    return execFileSync('/bin/sh', ['-c', text, argument], { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
