// Owns staying with a run until it waits for a person or ends. Leaving never stops the run.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../machines/contract/report.js';
import { exitCodeOf, exitCodes, isFinal, isWaiting } from '../machines/contract/run-state.js';
import type { Server } from './connect.js';
import type { Context } from './context.js';
import { CliError } from './error.js';
import { findFailing } from './failing.js';
import { nothingPending, type Pending, readPending } from './pending.js';
import { openProgress, type Progress } from './progress.js';
import { type End, hearEnd } from './run-end.js';
import { type FoundRun, featureIdIn, readLiveReport } from './run-handle.js';

/** How often the report is read, in ms; the run's end is heard at once, without polling. Each reading costs the worker a task of its own. */
const pollMs = 400;
/** How often the server is asked what the act of a moving run does, in ms: where it is shown live, and where only its troubles are. */
const pendingMs = { live: 1_000, plain: 4_000 };
/** After this long without any worker answering, the local stack is looked at, or the person is told, in ms. */
const silentWorkerMs = 8_000;
/** What means that the person leaves: Ctrl-C, a closed terminal, a plain kill. */
const leaving = ['SIGINT', 'SIGHUP', 'SIGTERM'] as const;

/** How much of its build's name a worker carries in its own, in characters. */
const buildMarkLength = 8;

/** `wait`: stay while a usage limit is waited for. */
export type FollowOptions = { wait: boolean };

/** Which run to stay with, where, and how. */
export type Followed = { server: Server; run: FoundRun; options: FollowOptions };

/** The report at the moment at which the run waits or is over; 130 when the person leaves first, and the run goes on. */
export async function followRun(context: Context, { server, run, options }: Followed): Promise<Report> {
  const progress = openProgress(context);
  const leave = new AbortController();
  const onSignal = () => leave.abort();
  for (const signal of leaving) process.once(signal, onSignal);
  try {
    return await Promise.race([watchRun({ context, server, run, progress, options, leave }), detached(leave, run)]);
  } finally {
    for (const signal of leaving) process.off(signal, onSignal);
    leave.abort();
    progress.end();
  }
}

type Watching = Followed & { context: Context; progress: Progress; leave: AbortController };

async function watchRun({ context, server, run, progress, options, leave }: Watching): Promise<Report> {
  const over = hearEnd(server, run, leave.signal);
  over.catch(() => undefined); // heard below, where it is waited for
  let end: End | null = null;
  let pending: Pending = nothingPending;
  let askedAt = performance.now();
  let answeredAt = performance.now();
  while (!leave.signal.aborted) {
    const report = end?.result ?? (await readLiveReport(server, run));
    if (report) {
      answeredAt = performance.now();
      progress.show(report, pending);
      if (isStopped(report, end !== null, options)) return report;
    } else {
      await refuseFailing(context, server, run);
    }
    if (!report && performance.now() - answeredAt > silentWorkerMs) {
      await wake(context, server);
      answeredAt = performance.now() + 10 * silentWorkerMs;
    }
    if (performance.now() - askedAt > (context.isTerminal ? pendingMs.live : pendingMs.plain)) {
      askedAt = performance.now();
      pending = await readPending(run);
    }
    if (end) await sleep(pollMs);
    else end = await firstWithin(over, pollMs);
  }
  return new Promise(() => undefined); // the person has left; the race is decided elsewhere
}

/** Ends the command when a worker of this very build cannot go on with the run; one of another build may be about to be replaced. */
async function refuseFailing({ build }: Context, server: Server, run: FoundRun): Promise<void> {
  const failing = await findFailing(server, run);
  if (failing?.worker.endsWith(`-${build().slice(0, buildMarkLength)}`)) throw new CliError(exitCodeOf('env_broken'), failing.problem);
}

/** Puts a local stack right that died under the run: nobody may be there to give another command. */
async function wake(context: Context, { revive }: Server): Promise<void> {
  if (!revive) return context.err('  no worker answers for this host; start one with: pdlc worker (the run waits for it)');
  context.err('  no worker answers; what is down of the local stack is started again');
  await revive();
}

/** What a promise gives within a time, else null; no timer is left behind, which would keep this process alive. */
async function firstWithin<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  const timer = new AbortController();
  const timeout = sleep(timeoutMs, null, { signal: timer.signal }).catch(() => null);
  const first = await Promise.race([promise, timeout]);
  timer.abort();
  return first;
}

function isStopped(report: Report, isClosed: boolean, { wait }: FollowOptions): boolean {
  if (isFinal(report.state)) return isClosed;
  return isWaiting(report.state) && !(wait && report.state === 'limited');
}

async function detached({ signal }: AbortController, { workflowId }: FoundRun): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  const id = featureIdIn(workflowId);
  throw new CliError(exitCodes.detached, `detached: the run goes on. Come back with: pdlc loop-run ${id}   stop it with: pdlc cancel ${id}`);
}
