// Owns why an open run does not go on although a worker is there: this version cannot take up what another one has written. The server knows, but tells only who asks.
import { reportQuery, workflowQueue } from '../workflows/messages.js';
import type { Server } from './connect.js';
import { type FoundRun, featureIdIn } from './run-handle.js';

/** Failed tries after which a task counts as failing; a single one may be a worker that was stopped. */
const triesMin = 2;
/** How far back in the history the failure is looked for, in events; it is among the last ones. */
const eventsMax = 20;
/** How long the server may take to answer, in ms. */
const answerMsMax = 10_000;
/** gRPC's code of a query that a worker refused, other than one that nobody took. */
const refusedCode = 3;

/** A task that took too long on a busy machine says nothing about the version. */
const isSlow = /TMPRL1101/;

/** What keeps failing, in words with the way on; `worker` is the identity of the one that said so, which holds the beginning of its build. */
export type Failing = { problem: string; worker: string };

/** Why a run that gives no report cannot go on, or null when nothing is known against it. */
export async function findFailing(server: Server, run: FoundRun): Promise<Failing | null> {
  try {
    return await server.client.withDeadline(Date.now() + answerMsMax, async () => {
      const { raw, memo } = await run.handle.describe();
      const found = (raw.pendingWorkflowTask?.attempt ?? 0) >= triesMin ? await lastFailure(server, run) : await refusedQuery(server, run);
      return (
        found && { worker: found.worker, problem: explain(found.cause, { id: featureIdIn(run.workflowId), startedBy: String(memo?.engine ?? 'unknown') }) }
      );
    });
  } catch {
    return null; // only an explanation: the caller goes on without it
  }
}

type Found = { cause: string; worker: string };

async function lastFailure({ client, namespace }: Server, { workflowId, handle }: FoundRun): Promise<Found | null> {
  const execution = { workflowId, runId: (await handle.describe()).runId };
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: eventsMax });
  for (const { workflowTaskCompletedEventAttributes: completed, workflowTaskFailedEventAttributes: failed } of history?.events ?? []) {
    if (completed) return null;
    if (failed?.failure?.message && !isSlow.test(failed.failure.message)) return { cause: failed.failure.message, worker: failed.identity ?? '' };
  }
  return null;
}

/** A run that waits has no task that could fail; it fails when it is asked. */
async function refusedQuery(server: Server, { handle }: FoundRun): Promise<Found | null> {
  try {
    await handle.query(reportQuery);
    return null;
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === refusedCode;
    return isRefused ? { cause: error.message, worker: await latestWorker(server) } : null;
  }
}

/** A query's answer does not say whose it is; workers that are gone are listed for a while, but ask no more. */
async function latestWorker({ client, namespace }: Server): Promise<string> {
  const { pollers } = await client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: workflowQueue }, taskQueueType: 1 }); // 1: workflow tasks
  const askedAt = ({ lastAccessTime }: NonNullable<typeof pollers>[number]): number =>
    Number(lastAccessTime?.seconds ?? 0) + (lastAccessTime?.nanos ?? 0) / 1e9;
  return pollers?.sort((a, b) => askedAt(b) - askedAt(a))[0]?.identity ?? '';
}

function explain(cause: string, { id, startedBy }: { id: string; startedBy: string }): string {
  const known = cause.startsWith('engine too old');
  const why = known ? cause : `another version of pdlc has moved it (started by pdlc ${startedBy}) and this one cannot follow: ${cause.split('\n')[0]}`;
  const way = known ? '' : '. Install the version that moved it; the run is as it was';
  return `${id}: this pdlc cannot go on with the run, and nothing was done: ${why}${way}. Then run: pdlc loop-run ${id}`;
}
