// Owns starting and stopping the two long-lived processes of the local stack, and reading the end of their logs.
// Never signals a pid that is not proved to be the process that was started.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { isAlive, type ProcessIdentity, readIdentity } from '../../activities/process/identity.js';
import { StackError } from './error.js';
import { waitUntil } from './wait.js';

const logBytesMax = 5_000_000;
const logTailBytesMax = 2_000;
const startMark = '=== start';
const killMsMax = 5_000;

/** A command that is to outlive its starter; its output is appended to `log`. */
export interface DetachedCommand {
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  log: string;
}

/** How a process came to rest. */
export type StopOutcome = 'not_running' | 'stopped' | 'killed';

/** Starts a command in its own session; null when it did not start or was gone before it could be identified. */
export function startDetached(command: DetachedCommand): ProcessIdentity | null {
  const log = openLog(command);
  try {
    const child = spawn(command.command, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.once('error', () => undefined);
    child.unref();
    return child.pid === undefined ? null : readIdentity(child.pid);
  } finally {
    closeSync(log);
  }
}

/** TERM, up to `graceMs`, then KILL; throws StackError 'unstoppable' when even that leaves it alive. */
export async function stopProcess(identity: ProcessIdentity, graceMs: number): Promise<StopOutcome> {
  if (!isAlive(identity)) return 'not_running';
  signal(identity, 'SIGTERM');
  if (await waitUntil(() => !isAlive(identity), graceMs)) return 'stopped';
  signal(identity, 'SIGKILL');
  if (await waitUntil(() => !isAlive(identity), killMsMax)) return 'killed';
  throw new StackError(
    'unstoppable',
    `Process ${identity.pid} was expected to end on KILL and is still there after ${killMsMax} ms. Look at it with: ps -fp ${identity.pid}`,
  );
}

/** What a log says about its latest start, at most its last 2000 bytes; for messages to people. */
export function logTail(file: string): string {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return '(the log is empty)';
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(bytes, logTailBytesMax));
    readSync(handle, buffer, 0, buffer.length, bytes - buffer.length);
    const text = buffer.toString('utf8');
    return text.slice(Math.max(0, text.lastIndexOf(startMark))).trim();
  } finally {
    closeSync(handle);
  }
}

function openLog({ log, command, args }: DetachedCommand): number {
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > logBytesMax) renameSync(log, `${log}.1`);
  const handle = openSync(log, 'a', 0o600);
  writeSync(handle, `${startMark} ${new Date().toISOString()} ${[command, ...args].join(' ')}\n`);
  return handle;
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    if (isAlive(identity)) process.kill(identity.pid, name);
  } catch (error) {
    // It may end between the look and the signal; anything else, such as a missing permission, is real.
    if (isAlive(identity)) throw error;
  }
}
