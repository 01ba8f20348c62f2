// Owns docs/.pdlc-state/<id>.history.jsonl: records in the format of existing projects, derived from the ledger. Pure; more entries only ever add lines at the end.
import { z } from 'zod';
import { isCharged } from '../../machines/contract/attempt.js';
import type { CheckResult } from '../../machines/contract/check.js';
import type { LedgerEntry } from '../../machines/contract/ledger.js';
import type { Stage } from '../../machines/contract/stage.js';
import type { Verdict } from '../../machines/contract/verdict.js';
import { lastLines, oneLine } from './line-text.js';

const at = { iteration: z.int().min(0), timestamp: z.string() };
const bare = <Status extends string>(status: Status) => z.strictObject({ iteration: at.iteration, status: z.literal(status), timestamp: at.timestamp });
const withReason = <Status extends string>(status: Status) =>
  z.strictObject({ iteration: at.iteration, status: z.literal(status), reason: z.string(), timestamp: at.timestamp });

/**
 * One record. `iteration` counts rounds over the run (an attempt with its verdict, or a verdict without an attempt); `verify_exit` is the refusing check's exit
 * code, null when no check refused or it has none; `rejections` counts refusals over the run; `verify_tail` is at most 200 characters in one line.
 */
export const historyRecordSchema = z.discriminatedUnion('status', [
  z.strictObject({ iteration: at.iteration, status: z.literal('init'), verify_command: z.string(), timestamp: at.timestamp }),
  bare('continue'),
  z.strictObject({
    iteration: at.iteration,
    status: z.literal('promise_rejected'),
    verify_exit: z.int().nullable(),
    rejections: z.int().min(1),
    verify_tail: z.string(),
    timestamp: at.timestamp,
  }),
  z.strictObject({ iteration: at.iteration, status: z.literal('complete'), promise_rejections: z.int().min(0), timestamp: at.timestamp }),
  withReason('abort'),
  withReason('pause'),
  bare('max_reached'),
  bare('state_tamper'),
]);
export type HistoryRecord = z.infer<typeof historyRecordSchema>;

/** The records of a run. `verifyCommand` is the unit check's command, empty when there is none. A longer ledger gives the same records and more behind them. */
export function historyRecords(entries: readonly LedgerEntry[], verifyCommand: string): HistoryRecord[] {
  const start: Fold = { iteration: 0, rejections: 0, round: 'over', records: [] };
  return entries.reduce((fold, entry) => apply(fold, entry, verifyCommand), start).records;
}

/** The records as JSON lines, their keys in the order of the format. */
export const renderHistory = (records: readonly HistoryRecord[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** `round`: over, open (no verdict yet), or accepted (the review passed, and the stage is not settled yet). */
type Fold = { iteration: number; rejections: number; round: 'over' | 'open' | 'accepted'; records: HistoryRecord[] };

function apply(fold: Fold, entry: LedgerEntry, verifyCommand: string): Fold {
  const { at: timestamp } = entry;
  const { iteration } = fold;
  switch (entry.kind) {
    case 'run.started':
      return add(fold, { iteration, status: 'init', verify_command: verifyCommand, timestamp });
    case 'attempt.ended': {
      if (!isCharged(entry.outcome)) return fold;
      const begun = begin(close(fold, timestamp));
      return entry.outcome.kind === 'finished' ? begun : close(begun, timestamp);
    }
    case 'work.captured':
      return entry.capture.stateTamper ? add(fold, { iteration, status: 'state_tamper', timestamp }) : fold;
    case 'verdict.reached':
      return judged(fold.round === 'over' ? begin(fold) : fold, entry);
    case 'stage.settled':
      return fold.round === 'accepted' && entry.ok
        ? over(fold, { iteration, status: 'complete', promise_rejections: fold.rejections, timestamp })
        : close(fold, timestamp);
    case 'run.waiting':
      // The round stays open: its verdict may follow when the run goes on.
      return add(
        fold,
        entry.state === 'capped' ? { iteration, status: 'max_reached', timestamp } : { iteration, status: 'pause', reason: oneLine(entry.reason), timestamp },
      );
    case 'run.ended':
      return ended(close(fold, timestamp), entry);
    default:
      return fold;
  }
}

function judged(fold: Fold, { stage, verdict, at: timestamp }: Extract<LedgerEntry, { kind: 'verdict.reached' }>): Fold {
  const { iteration } = fold;
  switch (verdict.kind) {
    case 'pass':
      return stage === 'review' ? { ...fold, round: 'accepted' } : close(fold, timestamp);
    case 'reject':
    case 'tampered': {
      const rejections = fold.rejections + 1;
      const refusing = refusingCheck(stage, verdict);
      const verify_tail = lastLines(refusing?.tail.trim() || verdict.reason);
      return over(
        { ...fold, rejections },
        { iteration, status: 'promise_rejected', verify_exit: refusing ? exitOf(refusing) : null, rejections, verify_tail, timestamp },
      );
    }
    case 'choice':
    case 'unknown':
      return fold; // neither accepted nor refused: the same work is judged again
  }
}

function ended(fold: Fold, { state, reason, at: timestamp }: Extract<LedgerEntry, { kind: 'run.ended' }>): Fold {
  const { iteration } = fold;
  if (state === 'expired') return add(fold, { iteration, status: 'max_reached', timestamp });
  if (state === 'aborted' || state === 'cancelled') return add(fold, { iteration, status: 'abort', reason: oneLine(reason ?? state), timestamp });
  return fold;
}

const add = (fold: Fold, record: HistoryRecord): Fold => ({ ...fold, records: [...fold.records, record] });

const begin = (fold: Fold): Fold => ({ ...fold, iteration: fold.iteration + 1, round: 'open' });

const over = (fold: Fold, record: HistoryRecord): Fold => ({ ...add(fold, record), round: 'over' });

const close = (fold: Fold, timestamp: string): Fold =>
  fold.round === 'over' ? fold : over(fold, { iteration: fold.iteration, status: 'continue', timestamp });

/** Checks stop at the first that refuses, so it is the last one; a refusal of another kind (a failed setup) leaves a last check that is as it must be. */
function refusingCheck(stage: Stage, { gate, checks }: Verdict): CheckResult | null {
  const last = checks.at(-1);
  if (gate !== 'checks' || !last) return null;
  const red = last.kind === 'failed' && last.tests !== 0;
  const wanted = stage === 'tdd' && last.name === 'unit' ? red : last.kind === 'passed' && last.tests !== 0;
  return wanted ? null : last;
}

function exitOf(check: CheckResult): number | null {
  switch (check.kind) {
    case 'passed':
      return 0;
    case 'failed':
    case 'not_run':
      return check.exitCode;
    case 'signalled':
      return 128 + check.signal;
    case 'timed_out':
      return 124;
    case 'flooded':
      return null;
  }
}
