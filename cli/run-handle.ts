// Owns talking to one feature's workflow: finding it, reading its report, sending commands. Everything else of the CLI goes through here.
import type { WorkflowHandle } from '@temporalio/client';
import { workflowIdOf } from '../machines/contract/feature-id.js';
import type { Report } from '../machines/contract/report.js';
import { reportQuery } from '../workflows/messages.js';
import { pageOf, type Server } from './connect.js';

/** How long one query may take before the worker counts as not answering, in ms. */
const queryMsMax = 4_000;

/** A feature's latest run on the server: open or closed, with Temporal's own word for how it closed. */
export type FoundRun = { handle: WorkflowHandle; workflowId: string; runId: string; isOpen: boolean; status: string };

/** The latest run of a feature, or null when the server knows none. */
export async function findRun({ client }: Server, project: string, featureId: string): Promise<FoundRun | null> {
  const { WorkflowNotFoundError } = await import('./temporal.js');
  const workflowId = workflowIdOf(project, featureId);
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { runId, status } = await handle.describe();
    return { handle, workflowId, runId, isOpen: status.name === 'RUNNING', status: status.name };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The live report, or null when no worker answers in time. */
export async function readLiveReport({ client }: Server, { handle }: FoundRun): Promise<Report | null> {
  try {
    return await client.withDeadline(Date.now() + queryMsMax, () => handle.query(reportQuery));
  } catch {
    // A worker that is down, restarting or replaying is the ordinary case here; the caller says so.
    return null;
  }
}

/** The feature id in a workflow id, which ends with it. */
export const featureIdIn = (workflowId: string): string => workflowId.split('/').at(-1) ?? workflowId;

/** The web UI's page of a run, or null when no UI is known. */
export function uiUrlOf({ uiUrl, namespace }: Server, workflowId: string): string | null {
  return uiUrl && pageOf(uiUrl, { namespace, workflowId });
}
