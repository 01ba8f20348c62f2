// Owns one agent process from prompt to outcome: started once, watched, swept, read. What it says decides nothing about the work.
import { performance } from 'node:perf_hooks';
import type { AgentOutcome } from '../../machines/contract/attempt.js';
import { PdlcError } from '../../machines/contract/failure.js';
import { unknownUsage } from '../../machines/contract/usage.js';
import type { Act } from '../host/act.js';
import { diskProblem, watchDisk } from '../host/disk.js';
import type { Host } from '../host/host.js';
import { filesOf, readSpec } from '../process/control-dir.js';
import { attachOrStart } from '../process/launch.js';
import { tail } from '../process/output.js';
import { sweep } from '../process/sweep.js';
import { type ProcessExit, watch } from '../process/watch.js';
import type { AgentReading } from './adapter.js';
import { commandAgent } from './command.js';
import { programProblem } from './program.js';

/** Most bytes that one agent process may print; more ends it as `flooded`. */
const outputBytesMax = 512 * 1_048_576;
/** How much of the end of an agent's output is read for its result, in bytes. */
const resultBytesMax = 1_048_576;
/** Longest last words that are kept, in characters. */
const lastWordsMax = 2_000;

/** One process: `dir` and `token` name the attempt, `limits` are ms. */
export type AgentProcess = {
  dir: string;
  token: string;
  cwd: string;
  argv: string[];
  env: Record<string, string>;
  prompt: string;
  limits: { wall: number; silence: number };
};

/** How it ended, what its output says, how many processes it had left behind, and what was wrong with its disk meanwhile (null: nothing). */
export type AgentEnd = { outcome: AgentOutcome; reading: AgentReading; swept: number; disk: string | null };

/** Starts the agent or finds it running or finished; returns when its whole process tree is gone. Throws the signal's reason on cancellation. */
export async function runAgent(host: Host, { dir, token, cwd, argv, env, prompt, limits }: AgentProcess, act: Act): Promise<AgentEnd> {
  const startedMs = performance.now();
  // An agent that was started may still run, whatever has become of its program since.
  const isBegun = (await readSpec(dir)) !== null;
  const problem = isBegun ? null : programProblem(argv[0] ?? '', { cwd, path: env.PATH ?? '' });
  if (problem)
    return {
      outcome: { kind: 'misconfigured', reason: problem, ...nothing(0) },
      reading: { text: '', usage: unknownUsage, card: undefined },
      swept: 0,
      disk: null,
    };
  const full = isBegun ? null : await diskProblem(cwd);
  if (full) throw new PdlcError('disk_failed', full);
  const disk = watchDisk(cwd);
  const [program = '', ...args] = argv;
  const handle = await attachOrStart({ dir, token, cwd, env, argv: [program, ...args], prompt }, host.detach);
  const exit = await watch(handle, {
    signal: act.signal,
    onBeat: (beat) => {
      disk.look();
      act.beat(beat);
    },
    limits: { wallMs: limits.wall, silenceMs: limits.silence, outputBytesMax },
    graceMs: host.graceMs,
  });
  if (act.signal.aborted) throw act.signal.reason;
  const { killed } = await sweep(token, handle);
  const reading = commandAgent.read(await tail(filesOf(dir).out, resultBytesMax).catch(() => ''));
  const complaint = exit.kind === 'exited' && exit.exitCode === 0 ? '' : await tail(filesOf(dir).err, lastWordsMax).catch(() => '');
  const trouble = await disk.problem();
  const said = `${reading.text.trim()}\n${complaint.trim()}${trouble ? `\nits disk took no writes: ${trouble}` : ''}`;
  const facts = { usage: reading.usage, durationMs: Math.round(performance.now() - startedMs), lastWords: said.trim().slice(-lastWordsMax) };
  // An error for want of room is not the agent's doing, and uses up none of its attempts.
  const happened: ProcessExit = trouble && isError(exit) ? { kind: 'lost' } : exit;
  return { outcome: outcomeOf(happened, facts), reading, swept: killed, disk: trouble };
}

const isError = (exit: ProcessExit): boolean => exit.kind === 'signalled' || (exit.kind === 'exited' && exit.exitCode !== 0);

function outcomeOf(exit: ProcessExit, facts: { usage: AgentReading['usage']; durationMs: number; lastWords: string }): AgentOutcome {
  switch (exit.kind) {
    case 'exited':
      if (exit.exitCode === 0) return { kind: 'finished', ...facts };
      if (exit.exitCode === 126 || exit.exitCode === 127)
        return { kind: 'misconfigured', reason: `exit ${exit.exitCode}: ${facts.lastWords || 'the program or its interpreter could not be run'}`, ...facts };
      return { kind: 'failed', exitCode: exit.exitCode, ...facts };
    case 'signalled':
      return { kind: 'signalled', signal: exit.signal, ...facts };
    case 'cancelled':
      return { kind: 'lost', ...facts };
    default:
      return { kind: exit.kind, ...facts };
  }
}

function nothing(durationMs: number): { usage: AgentReading['usage']; durationMs: number; lastWords: string } {
  return { usage: unknownUsage, durationMs, lastWords: '' };
}
