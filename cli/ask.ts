// Owns sending a person's command to a run: a signal with an id, then watching the report for what became of it.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignalDefinition } from '@temporalio/client';
import type { CommandReport, Report } from '../machines/contract/report.js';
import type { WithId } from '../workflows/messages.js';
import type { Server } from './connect.js';
import { usageError } from './error.js';
import { type FoundRun, findRun, readLiveReport } from './run-handle.js';

/** How long the effect of a command is watched for, in ms; a command sent while no worker is up takes effect later all the same. */
const effectMsMax = 10_000;
const pollMs = 50;

/** What became of a command: the run's answer and report, or that it was sent and is not answered yet. */
export type Answer = { kind: 'answered'; command: CommandReport; report: Report } | { kind: 'sent' };

/** The open run of a feature; 64 when there is none. */
export async function openRun(server: Server, project: string, featureId: string): Promise<FoundRun> {
  const run = await findRun(server, project, featureId);
  if (run?.isOpen) return run;
  throw usageError(
    `${featureId}: expected an open run, found ${run ? `one that is over (${run.status.toLowerCase()})` : 'none'}; start one with: pdlc loop-run ${featureId}`,
  );
}

/** Sends one command and waits for the run's answer. */
export async function ask<Payload extends WithId>(
  server: Server,
  run: FoundRun,
  what: { signal: SignalDefinition<[Payload]>; payload: Omit<Payload, 'id'> },
): Promise<Answer> {
  const id = randomUUID();
  await run.handle.signal(what.signal, { ...what.payload, id } as Payload); // exactly the payload with its id
  const deadline = performance.now() + effectMsMax;
  while (performance.now() < deadline) {
    const report = await readLiveReport(server, run);
    const command = report?.commands.find((candidate) => candidate.id === id);
    if (report && command) return { kind: 'answered', command, report };
    await sleep(pollMs);
  }
  return { kind: 'sent' };
}
