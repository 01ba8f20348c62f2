// Owns what Temporal's history knows of a ledger: the entries that a run handed to its host, over all executions that it went through. Never writes.
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { z } from 'zod';
import { PdlcError } from '../../machines/contract/failure.js';
import { type LedgerEntry, ledgerEntrySchema } from '../../machines/contract/ledger.js';
import { hasCode } from '../host/files.js';

/** Most executions of one run that are followed back; each is a thousand events long. */
const executionsMax = 10_000;
/** The code by which a server says that it does not know an execution (gRPC NOT_FOUND). */
const notFound = '5';

/** What is needed of Temporal's client: the activity's own, or a command's. */
export type HistoryClient = {
  workflow: { getHandle: (workflowId: string, runId?: string) => { fetchHistory: () => Promise<{ events?: readonly unknown[] | null }> } };
};

/** Which execution to begin at; those before it in the same run are found from there. */
export type Execution = { workflowId: string; runId: string };

/** A run as its history tells it: its key, its host, and the entries in order. Where the server has forgotten early executions, the first entry is not number 1. */
export type Past = { runKey: string; hostId: string; entries: LedgerEntry[] };

/** Reads a run's past; null when nothing was handed to a host yet. Throws `ledger_broken` when the server does not know the execution, or an entry of it does not fit. */
export async function readPast(client: HistoryClient, { workflowId, runId }: Execution): Promise<Past | null> {
  const handedOver: HandedOver[] = [];
  let at: string | null = runId;
  for (let count = 0; at && count < executionsMax; count += 1) {
    const events = await eventsOf(client, { workflowId, runId: at });
    if (!events && count === 0)
      throw new PdlcError('ledger_broken', `${workflowId}: expected the server to have the history of execution ${runId}, found that it is gone`);
    if (!events) break;
    handedOver.unshift(...events.flatMap((event) => handedOverIn(event) ?? []));
    at = before(events[0]);
  }
  const [first] = handedOver;
  // An act that kept failing hands its entries to the next one again; they are the same.
  const entries = new Map(handedOver.flatMap((input) => input.entries).map((entry) => [entry.seq, entry]));
  return first ? { runKey: first.runKey, hostId: first.run.hostId, entries: [...entries.values()].sort((a, b) => a.seq - b.seq) } : null;
}

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const payload: z.ZodType<Payload> = z.object({ metadata: z.record(z.string(), bytes), data: bytes });
const scheduledSchema = z.object({
  activityTaskScheduledEventAttributes: z.object({
    activityType: z.object({ name: z.enum(['publish', 'release']) }),
    input: z.object({ payloads: z.tuple([payload]) }),
  }),
});
const startedSchema = z.object({ workflowExecutionStartedEventAttributes: z.object({ continuedExecutionRunId: z.string().min(1) }) });
const handedOverSchema = z.object({ runKey: z.string(), run: z.object({ hostId: z.string() }), entries: z.array(ledgerEntrySchema) });
type HandedOver = z.infer<typeof handedOverSchema>;

async function eventsOf(client: HistoryClient, { workflowId, runId }: Execution): Promise<readonly unknown[] | null> {
  try {
    return (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  } catch (error) {
    if (hasCode(error, notFound)) return null;
    throw error;
  }
}

function handedOverIn(event: unknown): HandedOver | null {
  const scheduled = scheduledSchema.safeParse(event);
  if (!scheduled.success) return null;
  const [input] = scheduled.data.activityTaskScheduledEventAttributes.input.payloads;
  const parsed = handedOverSchema.safeParse(defaultPayloadConverter.fromPayload(input));
  if (parsed.success) return parsed.data;
  throw new PdlcError(
    'ledger_broken',
    `the run's history: expected ledger entries as this build writes them, found others: ${parsed.error.issues[0]?.message}`,
  );
}

/** The execution that this one, with this first event, went on from. */
function before(firstEvent: unknown): string | null {
  const started = startedSchema.safeParse(firstEvent);
  return started.success ? started.data.workflowExecutionStartedEventAttributes.continuedExecutionRunId : null;
}
