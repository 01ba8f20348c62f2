// Who a process is: pid, kernel start time and boot id together, because pids are reused and boots start over.
// Must never call a zombie alive, and never call a stranger with the same pid the same process.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hasProc, readStat, ticksPerSecond } from './proc.js';

/** A process that cannot be confused with another. startTime: clock ticks since boot, or a UTC date where /proc is absent. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
  bootId: string;
}

/** This boot of the machine, as the kernel names it. */
export const bootId = readBootId();

/** The identity of the live process with this pid, null when there is none (a zombie counts as none). */
export function readIdentity(pid: number): ProcessIdentity | null {
  const startTime = hasProc ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startTime === null ? null : { pid, startTime, bootId };
}

/** True only if exactly this process still lives. */
export function isAlive(identity: ProcessIdentity): boolean {
  const found = readIdentity(identity.pid);
  return found !== null && found.startTime === identity.startTime && found.bootId === identity.bootId;
}

/** Whether a start time can be compared with those of live processes: clock ticks are counted anew at each boot. */
export function isOfThisBoot(identity: Pick<ProcessIdentity, 'bootId'>): boolean {
  return hasProc && identity.bootId === bootId;
}

/** Milliseconds since the process was started, by the kernel's clock, so that a changed wall clock moves no deadline. */
export function ageMs({ startTime }: ProcessIdentity): number {
  if (!hasProc) return Date.now() - Date.parse(`${startTime} UTC`);
  const own = startTimeFromProc(process.pid);
  return process.uptime() * 1000 + ((Number(own) - Number(startTime)) * 1000) / ticksPerSecond;
}

function startTimeFromProc(pid: number): string | null {
  const stat = readStat(pid);
  return stat === null || stat.state === 'Z' || stat.state === 'X' ? null : stat.startTime;
}

/** For systems without /proc: the start time with one-second precision, printed as the supervisor prints it. */
export function startTimeFromPs(pid: number): string | null {
  const line = run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  const [state, ...startTime] = line.trim().split(/\s+/);
  return !state || state.startsWith('Z') ? null : startTime.join(' ');
}

function readBootId(): string {
  if (hasProc) return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return run('sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

function run(command: string, args: string[]): string {
  const env = { PATH: '/bin:/usr/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC0' };
  try {
    return execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // ps exits 1 when there is no such process.
    return '';
  }
}
