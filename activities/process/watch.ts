// Watches one process to its end, keeps its limits, and says why it ended.
// Must never wait on a pipe, restart a clock that ran before a re-attach, or end before the tree is stopped that it decided to stop.
import { setTimeout as sleep } from 'node:timers/promises';
import { openAlarm } from './alarm.js';
import { type Breach, filesOf, readBreach, type StartRecord, writeBreach } from './control-dir.js';
import { ageMs, isAlive } from './identity.js';
import type { Handle } from './launch.js';
import { look, type State, supervisorOf } from './look.js';
import { lastLine, sizeOf } from './output.js';
import { stopTree } from './stop.js';

/** Why a process ended. `signalled` is a shell status of 128 + signal; `lost`: its end is unknown and may never count as a pass. */
export type ProcessExit = { kind: 'exited'; exitCode: number } | { kind: 'signalled'; signal: number } | { kind: Breach['kind'] | 'lost' };

/** A sign of life. lastLine is the last complete line of `out`, at most 200 clean characters, null before the first. */
export interface Beat {
  pid: number;
  outBytes: number;
  lastLine: string | null;
}

/** outputBytesMax counts stdout and stderr together. Limits are read anew at every look, so a getter may suspend silenceMs. */
export interface Limits {
  readonly wallMs: number;
  readonly silenceMs?: number | undefined;
  readonly outputBytesMax: number;
}

/** onBeat is called at once and then at least every second. graceMs lies between TERM and KILL. */
export interface WatchOptions {
  signal: AbortSignal;
  onBeat: (beat: Beat) => void;
  limits: Limits;
  graceMs: number;
}

/** Abort with this reason to stop watching and leave the process alone; watch then throws it. */
export const leaveRunning = new Error('The watcher leaves, the process goes on.');

const pollMs = 250;
const beatMs = 700;
const settleMs = 50;

interface Sight {
  now: State;
  outBytes: number;
  totalBytes: number;
  ageMs: number;
  quietMs: number;
}

/** Resolves when the process has ended, or when a limit or the signal ended it and its tree is stopped.
 *  Silence is counted from the (re-)attach, wall time from the recorded start. Errors of onBeat pass through. */
export async function watch(handle: Handle, options: WatchOptions): Promise<ProcessExit> {
  const { dir, started } = handle;
  const earlier = await readBreach(dir);
  if (earlier || started === null) return finish(handle, earlier ?? { kind: 'lost' }, options.graceMs);
  const alarm = openAlarm(dir, options.signal);
  const observe = openEyes(dir, started);
  let beatAt = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const sight = await observe();
      const exit = judge(sight, options);
      if (exit) return await finish(handle, exit, options.graceMs);
      if (options.signal.aborted) throw options.signal.reason;
      if (performance.now() - beatAt >= beatMs) {
        beatAt = performance.now();
        options.onBeat({ pid: started.pid, outBytes: sight.outBytes, lastLine: await lastLine(filesOf(dir).out) });
      }
      await alarm.wait(pollMs);
    }
  } finally {
    alarm.close();
  }
}

/** The first reason that holds wins. Size comes before the status, so that a quick flood and a slow one end alike. */
function judge({ now, totalBytes, ageMs, quietMs }: Sight, { signal, limits }: WatchOptions): ProcessExit | null {
  if (totalBytes > limits.outputBytesMax) return { kind: 'flooded' };
  if (now.state === 'finished') return exitOf(now.status);
  if (now.state === 'lost') return { kind: 'lost' };
  if (signal.aborted) return signal.reason === leaveRunning ? null : { kind: 'cancelled' };
  if (ageMs > limits.wallMs) return { kind: 'timed_out' };
  if (limits.silenceMs !== undefined && quietMs > limits.silenceMs) return { kind: 'silent' };
  return null;
}

function exitOf(status: number): ProcessExit {
  return status >= 128 ? { kind: 'signalled', signal: status - 128 } : { kind: 'exited', exitCode: status };
}

function openEyes(dir: string, started: StartRecord): () => Promise<Sight> {
  const files = filesOf(dir);
  const openedAt = performance.now();
  const ageAtOpenMs = ageMs(started);
  let grewAt = openedAt;
  let bytesBefore = -1;
  return async () => {
    const now = await look(dir, started);
    const outBytes = await sizeOf(files.out);
    const totalBytes = outBytes + (await sizeOf(files.err));
    const at = performance.now();
    if (totalBytes !== bytesBefore) grewAt = at;
    bytesBefore = totalBytes;
    return { now, outBytes, totalBytes, ageMs: ageAtOpenMs + at - openedAt, quietMs: at - grewAt };
  };
}

async function finish(handle: Handle, exit: ProcessExit, graceMs: number): Promise<ProcessExit> {
  const { dir, started } = handle;
  if (exit.kind === 'exited' || exit.kind === 'signalled') {
    if (started) await letSupervisorLeave(started);
    return exit;
  }
  // A full disk must not keep a process alive; without the record a later watcher would say lost, which is no pass either.
  if (exit.kind !== 'lost') await writeBreach(dir, { kind: exit.kind }).catch(() => {});
  await stopTree(handle, started && (isAlive(started) ? started : supervisorOf(started)), graceMs);
  return exit;
}

/** The supervisor ends right after its result; a sweep that follows must not count it as left behind. */
async function letSupervisorLeave(started: StartRecord): Promise<void> {
  const deadline = performance.now() + settleMs;
  while (performance.now() < deadline && isAlive(supervisorOf(started))) await sleep(1);
}
