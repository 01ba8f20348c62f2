// Owns hearing that a run is over, and what it means when it was not pdlc that ended it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../machines/contract/report.js';
import { exitCodeOf } from '../machines/contract/run-state.js';
import type { Server } from './connect.js';
import { CliError, unavailable } from './error.js';
import { type FoundRun, featureIdIn } from './run-handle.js';

/** How long after a server that went away it is asked again, in ms. */
const retryMs = 400;

/** That a run is over: with its report, or null when it was cancelled and its report has to be asked for. */
export type End = { result: Report | null };

/** Waits for the end of a run, also across a server that goes away meanwhile; 69 when the server no longer knows the run. The open long poll is given up with the watching: it would keep this process alive. */
export async function hearEnd({ client }: Server, { handle, workflowId }: FoundRun, signal: AbortSignal): Promise<End> {
  const { WorkflowFailedError, WorkflowNotFoundError } = await import('./temporal.js');
  for (;;) {
    try {
      return { result: (await client.withAbortSignal(signal, () => handle.result())) as Report }; // what our own workflow returns
    } catch (error) {
      if (signal.aborted) return { result: null };
      if (error instanceof WorkflowNotFoundError) throw forgotten(workflowId);
      if (error instanceof WorkflowFailedError) return endOf(error, workflowId);
      await sleep(retryMs);
    }
  }
}

/** A cancelled run has a report of its own; one that was terminated or failed on the server has none that could be trusted. */
function endOf({ cause }: Error, workflowId: string): End {
  if (cause instanceof Error && cause.name === 'CancelledFailure') return { result: null };
  const why = cause instanceof Error ? cause.message : 'it failed';
  throw new CliError(
    exitCodeOf('cancelled'),
    `${workflowId}: expected the run to end by itself or by a command of pdlc, found it closed on the server: ${why}. Begin again with: pdlc loop-run ${featureIdIn(workflowId)}`,
  );
}

function forgotten(workflowId: string): CliError {
  return unavailable(
    `${workflowId}: expected the server to know this run, found that it does not (another database, or someone deleted it). Begin again with: pdlc loop-run ${featureIdIn(workflowId)}`,
  );
}
