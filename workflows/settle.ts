// Owns the end of a stage and the end of a run: what is written to the ledger, the state files and the branch, and what the run machine is told.
import { ActivityFailure, isCancellation, rootCause } from '@temporalio/workflow';
import { attemptId, type PublishResult } from '../machines/contract/activities.js';
import type { LedgerEntry } from '../machines/contract/ledger.js';
import type { RunEvent } from '../machines/run.js';
import { advanceRun } from '../machines/step.js';
import { type Live, placeOf, record, stateOf } from './live.js';
import { act } from './options.js';
import { breachNow } from './perform.js';

/** Publishes the stage that just ended and tells the run how; a branch that cannot be moved blocks the run instead of losing the stage. */
export async function settleStage(live: Live): Promise<void> {
  const { stage: ended, work } = live;
  if (!ended || !work) throw new Error('no stage has ended');
  const at = placeOf(live, 'last');
  const ok = ended.value === 'passed';
  const reason = ok ? null : (ended.context.reason ?? 'the stage ended without a reason');
  record(live, {
    kind: 'stage.settled',
    stage: at.stage,
    step: at.step,
    ok,
    reason,
    attempts: ended.context.attempts,
    durationMs: Date.now() - work.startedAt,
  });
  const published = await publishStage(live, ok, reason);
  live.stage = null;
  live.work = null;
  if (ok) live.notes = live.notes.slice(live.notesGiven);
  if (ok) live.notesGiven = 0;
  live.reseal = false;
  tellRun(live, { type: 'budget.checked', breach: breachNow(live) });
  if ('failed' in published) return tellRun(live, { type: 'stage.blocked', reason: published.failed });
  if (published.head) {
    live.tip = published.head;
    live.readyAt = published.treeAtHead ? published.head : null;
    record(live, { kind: 'branch.moved', stage: at.stage, step: at.step, head: published.head });
  }
  tellRun(live, endOf(String(ended.value), reason ?? '', published));
}

/** Writes the pending facts to the ledger file, without touching the branch. */
export async function flush(live: Live): Promise<void> {
  if (live.pending.length === 0) return;
  const { publish } = act('publish', live, { id: `ledger-${live.report.seq}`, summary: 'write the ledger' });
  // Where it fails, the facts stay in this run's history, and go with the next act that writes.
  const writtenNow = writing(live, (entries) => publish({ run: live.input, runKey: live.runKey, at: null, entries, settle: null }));
  await failureOf(writtenNow.then((written) => sayRepaired(live, written)));
}

/** Ends the run on its host: what is left in the tree is saved under a ref that is printed, then the tree is removed. */
export async function release(live: Live): Promise<void> {
  const state = stateOf(live);
  record(live, { kind: 'run.ended', state, reason: live.run.context.reason });
  const { release } = act('release', live, { id: 'end', summary: `end: ${state}`, soon: state === 'cancelled' });
  const releasing = writing(live, (entries) => release({ run: live.input, runKey: live.runKey, tip: live.tip, entries, final: state }));
  const failed = await failureOf(
    releasing.then(({ savedRef, leftOut, repaired }) => {
      sayRepaired(live, { repaired });
      if (savedRef) say(live, `what was left in the tree is saved as ${savedRef}`);
      if (leftOut) say(live, `files that are never committed were left in the tree and are kept in ${leftOut}`);
    }),
  );
  if (failed) say(live, `the tree could not be cleared away and is kept: ${failed}`);
}

/** Hands the pending facts to an act that writes them. They are pending until it has, however it ends: the ledger skips entries that it already holds. */
async function writing<T>(live: Live, write: (entries: LedgerEntry[]) => Promise<T>): Promise<T> {
  const entries = [...live.pending];
  const result = await write(entries);
  live.pending.splice(0, entries.length);
  return result;
}

/** Has the host read its clock; when it cannot, the server's goes on counting. */
export async function lookAtClock(live: Live): Promise<void> {
  const { clock } = act('clock', live, { id: `look-${Date.now()}`, summary: 'look at the clock of the host' });
  await failureOf(clock({ run: live.input, runKey: live.runKey }));
}

function say(live: Live, notice: string): void {
  live.report = { ...live.report, notices: [...live.report.notices, notice] };
}

function sayRepaired(live: Live, { repaired }: Pick<PublishResult, 'repaired'>): void {
  if (repaired) say(live, repaired);
}

/** Why an act failed for good, in words, or null; cancellation passes through. */
async function failureOf(acting: Promise<unknown>): Promise<string | null> {
  try {
    await acting;
    return null;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return rootCause(error) ?? error.message;
  }
}

/** Feeds one fact to the run machine. */
export function tellRun(live: Live, event: RunEvent): void {
  live.run = advanceRun(live.run, event);
}

async function publishStage(live: Live, ok: boolean, reason: string | null): Promise<PublishResult | { failed: string }> {
  const at = placeOf(live, 'last');
  const candidate = live.work?.candidate;
  const record = { stage: at.stage, ok, reason, checks: live.work?.checks ?? {}, produced: ok ? (candidate?.files ?? []) : [], at: new Date().toISOString() };
  const tip = ok && candidate ? candidate.commit : live.tip;
  const { publish } = act('publish', live, { id: attemptId(at), summary: `${at.stage}: ${ok ? 'passed' : 'stopped'}` });
  const settle = { record, tip, from: live.tip };
  try {
    const published = await writing(live, (entries) => publish({ run: live.input, runKey: live.runKey, at, entries, settle }));
    sayRepaired(live, published);
    return published;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { failed: `the stage's result could not be published: ${rootCause(error) ?? error.message}` };
  }
}

function endOf(state: string, reason: string, { moved, nextStep }: PublishResult): RunEvent {
  switch (state) {
    case 'passed':
      return { type: 'stage.passed', moved, nextStep };
    case 'stuck':
      return { type: 'stage.stuck', reason };
    case 'integrity':
      return { type: 'stage.tampered', reason };
    case 'aborted':
      return { type: 'stage.aborted', reason };
    default:
      return { type: 'stage.blocked', reason };
  }
}
