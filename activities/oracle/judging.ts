// Owns what the gates share: their common context and the making of verdicts. A verdict is made here only, so that none lacks its gate or its evidence.
import type { JudgeInput } from '../../machines/contract/activities.js';
import { type CheckResult, describeCheck } from '../../machines/contract/check.js';
import type { Usage } from '../../machines/contract/usage.js';
import type { Gate, Tampering, Verdict } from '../../machines/contract/verdict.js';
import type { Act } from '../host/act.js';
import type { Host } from '../host/host.js';
import type { RunPaths } from '../host/paths.js';
import type { RoomSlot } from './slot.js';

/** What every gate sees: the candidate with its stage's input, and the slot in which rooms are built. */
export type Judging = { host: Host; act: Act; paths: RunPaths; slot: RoomSlot; input: JudgeInput };

/** What has been seen so far; it travels with the verdict. */
export type Evidence = { checks: CheckResult[]; usage: Usage[] };

/** Longest feedback to a repairing agent, in characters. */
const feedbackMax = 8_000;

/** The work is accepted. */
export function pass(gate: Gate, evidence: Evidence, card: Verdict['card'] = null): Verdict {
  return { kind: 'pass', gate, card, ...evidence };
}

/** The work is refused by a gate; `detail` is for the repairing agent. */
export function reject(gate: Gate, reason: string, more: { detail?: string; evidence?: Evidence; card?: Verdict['card'] } = {}): Verdict {
  const { detail = '', evidence = none, card = null } = more;
  const feedback = `${reason}${detail ? `\n\n${detail}` : ''}`.slice(-feedbackMax);
  return { kind: 'reject', gate, reason, feedback, card, ...evidence };
}

/** The work is refused because a check did not end as its stage needs; the check's own output is the feedback. */
export function rejectCheck(result: CheckResult, wanted: string, evidence: Evidence): Verdict {
  return reject('checks', `${describeCheck(result)}; expected ${wanted}`, { detail: result.tail, evidence });
}

/** Sealed or deciding files were changed. */
export function tampered(paths: Tampering[], reason: string): Verdict {
  return { kind: 'tampered', gate: 'integrity', reason, paths, card: null, ...none };
}

/** A person has to decide about changed dependencies. */
export function choice(paths: string[], reason: string): Verdict {
  return { kind: 'choice', gate: 'integrity', reason, paths, card: null, ...none };
}

/** No verdict could be reached. */
export function unknown(gate: Gate, reason: string, evidence: Evidence): Verdict {
  return { kind: 'unknown', gate, reason, card: null, ...evidence };
}

/** Nothing seen yet. */
export const none: Evidence = { checks: [], usage: [] };

/** The evidence with one more check. */
export const withCheck = (evidence: Evidence, result: CheckResult): Evidence => ({ ...evidence, checks: [...evidence.checks, result] });
