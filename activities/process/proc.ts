// What /proc tells about one process. The only file that knows the layout of its files.
// Must never turn a process that is gone or not ours to read into anything but null.

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hasCode } from '../host/files.js';

/** One line of the process table. startTime is in clock ticks since boot, a decimal string; state is the kernel's letter. */
export interface ProcStat {
  pid: number;
  state: string;
  parent: number;
  group: number;
  session: number;
  startTime: string;
}

/** Clock ticks per second in /proc/PID/stat: 100 on every architecture that Node runs on. */
export const ticksPerSecond = 100;

/** True where the kernel offers /proc (Linux). */
export const hasProc = existsSync('/proc/self/stat');

/** The process's line of the table, null when there is no such process. */
export function readStat(pid: number): ProcStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null;
    throw error;
  }
}

/** The process's environment as NAME=value strings, empty when it is gone or belongs to someone whose memory we may not read. */
export async function readEnviron(pid: number): Promise<string[]> {
  // Not synchronous: reading it waits for the process's memory lock, which a stuck process may never give back.
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return [];
    throw error;
  }
}

/** The process's soft limit on file locks as the kernel writes it, null when it is gone or the kernel does not tell. */
export function readLockLimit(pid: number): string | null {
  try {
    return /^Max file locks +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1] ?? null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

/** Parses /proc/PID/stat; the command's name may hold spaces, parentheses and newlines. Null if the text is not of that form. */
export function parseStat(text: string): ProcStat | null {
  const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[15];
  if (!state || startTime === undefined) return null;
  return { pid: Number.parseInt(text, 10), state, parent: Number(parent), group: Number(group), session: Number(session), startTime };
}
