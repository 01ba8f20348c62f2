// Owns what surrounds every activity: heartbeats while it works, the meaning of each kind of cancellation, and typed failures.
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { CancelledFailure, WorkflowNotFoundError } from '@temporalio/common';
import { type Past, readPast } from '../ledger/past.js';
import { leaveRunning } from '../process/watch.js';
import { diskProblem } from './disk.js';
import { toFailure } from './failures.js';

/** How often a working activity says that it lives, in ms; the worker throttles it further. */
const beatMs = 500;

/** What an activity knows of its own execution. `signal` aborts with `leaveRunning` when only the worker goes away; `beat` shows details in the UI; `past` asks the server what the run has handed to its host so far. */
export type Act = { id: string; signal: AbortSignal; beat: (details: unknown) => void; past: () => Promise<Past | null> };

/** How often an act is tried, whose failure is not one of these `disks`: folders on every disk that it writes to. A disk is waited for as long as the workflow says. */
type Bounds<Input> = { triesMax: number; disks: (input: Input) => string[] };

/** Wraps an activity's work: it gets its `Act`, beats, and fails only with typed failures. */
export function withAct<Input, Result>(
  work: (input: Input, act: Act) => Promise<Result>,
  { triesMax, disks }: Bounds<Input>,
): (input: Input) => Promise<Result> {
  return async (input) => {
    const context = Context.current();
    const stop = new AbortController();
    const onCancel = () => void reasonOf(context).then((reason) => stop.abort(reason));
    if (context.cancellationSignal.aborted) onCancel();
    else context.cancellationSignal.addEventListener('abort', onCancel, { once: true });
    let details: unknown = { at: 'started' };
    // Nothing is sent at once: each heartbeat is a write on the server, and most acts are over by then.
    const timer = setInterval(() => context.heartbeat(details), beatMs);
    const beat = (next: unknown): void => {
      details = next;
    };
    try {
      return await work(input, { id: context.info.activityId, signal: stop.signal, beat, past: () => pastOf(context) });
    } catch (error) {
      if (error instanceof CompleteAsyncError) throw error;
      // Temporal accepts only its own reason as the answer to a cancellation; anything else would be refused and the attempt would hang.
      throw stop.signal.aborted && context.cancellationSignal.aborted
        ? cancelReason(context)
        : toFailure(error, { disk: await firstProblem(disks(input)), isLast: context.info.attempt >= triesMax });
    } finally {
      clearInterval(timer);
    }
  };
}

async function firstProblem(disks: string[]): Promise<string | null> {
  const problems = await Promise.all(disks.map(diskProblem));
  return problems.find((problem) => problem !== null) ?? null;
}

async function pastOf({ info, client }: Context): Promise<Past | null> {
  return info.workflowExecution ? readPast(client, info.workflowExecution) : null;
}

async function reasonOf(context: Context): Promise<unknown> {
  const details = context.cancellationDetails;
  const ended = details?.cancelRequested || details?.reset || (details?.notFound && (await isRunGone(context)));
  return ended ? cancelReason(context) : leaveRunning;
}

/** The server no longer knows an activity when its run is gone, but also when a later attempt took over while it could not be reached; that one needs the process. */
async function isRunGone(context: Context): Promise<boolean> {
  const { workflowId, runId } = context.info.workflowExecution ?? { workflowId: '', runId: '' };
  try {
    return (await context.client.workflow.getHandle(workflowId, runId).describe()).status.name !== 'RUNNING';
  } catch (error) {
    return error instanceof WorkflowNotFoundError;
  }
}

function cancelReason(context: Context): Error {
  const { reason } = context.cancellationSignal;
  return reason instanceof Error ? reason : new CancelledFailure('cancelled');
}
