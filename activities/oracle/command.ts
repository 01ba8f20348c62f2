// Owns running one shell command of the configuration to its end: supervised, bounded, re-attached after a crash instead of started again.
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import { tailBytesMax } from '../../machines/contract/check.js';
import type { Command } from '../../machines/contract/config.js';
import { PdlcError } from '../../machines/contract/failure.js';
import type { Act } from '../host/act.js';
import { diskProblem, watchDisk } from '../host/disk.js';
import type { Host } from '../host/host.js';
import { filesOf, isIntended, setAside } from '../process/control-dir.js';
import { attachOrStart } from '../process/launch.js';
import { tail } from '../process/output.js';
import { sweep } from '../process/sweep.js';
import { type ProcessExit, watch } from '../process/watch.js';

/** Most bytes that a check or setup command may print; more ends it. */
const outputBytesMax = 1_073_741_824;

/** How often a command whose process vanished or was killed is started again. */
const lossesMax = 2;

/** `dir` is the control directory, `token` the mark of its processes. */
export type CommandRequest = { command: Command; dir: string; token: string; cwd: string; env: Record<string, string>; label: string };

/** How a command ended by itself or by its limits. */
export type CommandExit = Extract<ProcessExit, { kind: 'exited' | 'signalled' }> | { kind: 'timed_out' | 'flooded' };

/** How a command ended: `tail` is the end of both outputs as clean text, `swept` counts processes that it had left behind. */
export type CommandEnd = { exit: CommandExit; tail: string; longTail: string; durationMs: number; swept: number };

/**
 * Runs `sh -c <run>` with an empty stdin; a second call with the same directory gets the first one's result. Lost runs are started again, a bounded number of times,
 * and so is one that was killed: KILL comes from outside, from a person or a machine out of memory, and only a second one says something about the command.
 */
export async function runCommand(host: Host, request: CommandRequest, act: Act): Promise<CommandEnd> {
  let killed: CommandEnd | null = null;
  for (let again = 0; again <= lossesMax; again += 1) {
    const dir = again === 0 ? request.dir : `${request.dir}.again${again}`;
    const end = await runOnce(host, { ...request, dir }, act);
    if (end && (killed || !wasKilled(end))) return end;
    killed ??= end;
  }
  if (killed) return killed;
  throw new PdlcError('process_failed', `${request.label}: its process vanished without a result ${lossesMax + 1} times`);
}

const wasKilled = ({ exit }: CommandEnd): boolean => exit.kind === 'signalled' && exit.signal === constants.signals.SIGKILL;

async function runOnce(host: Host, { command, dir, token, cwd, env, label }: CommandRequest, act: Act): Promise<CommandEnd | null> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const full = (await isIntended(dir)) ? null : await diskProblem(dir);
  if (full) throw new PdlcError('disk_failed', full);
  const disk = watchDisk(dir);
  const startedMs = performance.now();
  const handle = await attachOrStart({ dir, token, cwd, env, argv: ['/bin/sh', '-c', command.run], prompt: '' }, host.detach);
  const exit = await watch(handle, {
    signal: act.signal,
    onBeat: ({ outBytes, lastLine }) => {
      disk.look();
      act.beat({ doing: label, outBytes, lastLine });
    },
    limits: { wallMs: command.timeout, outputBytesMax },
    graceMs: host.graceMs,
  });
  if (act.signal.aborted) throw act.signal.reason;
  const ended = endedByItself(exit);
  if (!ended) return null;
  const { killed: swept } = await sweep(token, handle);
  const trouble = await disk.problem();
  if (trouble) {
    // Red for want of room is red for no reason, and what it printed may be cut short: it counts neither way.
    await setAside(dir);
    throw new PdlcError('disk_failed', `${label} ran on a disk that took no writes, and runs again: ${trouble}`);
  }
  const longTail = await bothTails(dir);
  return { exit: ended, tail: longTail.slice(-tailBytesMax), longTail, durationMs: Math.round(performance.now() - startedMs), swept };
}

function endedByItself(exit: ProcessExit): CommandExit | null {
  if (exit.kind === 'exited' || exit.kind === 'signalled') return exit;
  return exit.kind === 'timed_out' || exit.kind === 'flooded' ? { kind: exit.kind } : null;
}

async function bothTails(dir: string): Promise<string> {
  const { out, err } = filesOf(dir);
  const [printed, complained] = await Promise.all([tail(out, 8 * tailBytesMax).catch(() => ''), tail(err, 2 * tailBytesMax).catch(() => '')]);
  return complained.trim() === '' ? printed : `${printed}${printed.endsWith('\n') || printed === '' ? '' : '\n'}${complained}`;
}
