// Owns sample facts for the machines: one of every outcome, verdict and ground. Must never decide what follows from them.
import type { AgentOutcome } from '../../machines/contract/attempt.js';
import type { Ground, Verdict } from '../../machines/contract/verdict.js';

const facts = { usage: { usd: 1, tokens: null }, durationMs: 1, lastWords: 'done, all green' };
const evidence = (): Omit<Extract<Verdict, { kind: 'pass' }>, 'kind'> => ({ gate: 'checks', checks: [], card: null, usage: [] });

/** One outcome of every kind. */
export const outcomes: { [K in AgentOutcome['kind']]: Extract<AgentOutcome, { kind: K }> } = {
  finished: { kind: 'finished', ...facts },
  failed: { kind: 'failed', exitCode: 1, ...facts },
  signalled: { kind: 'signalled', signal: 9, ...facts },
  timed_out: { kind: 'timed_out', ...facts },
  silent: { kind: 'silent', ...facts },
  flooded: { kind: 'flooded', ...facts },
  cancelled: { kind: 'cancelled', ...facts },
  lost: { kind: 'lost', ...facts },
  limited: { kind: 'limited', until: 1_000, ...facts },
  needs_login: { kind: 'needs_login', ...facts },
  misconfigured: { kind: 'misconfigured', reason: 'no such program', ...facts },
};

/** One verdict of every kind. */
export const verdicts: { [K in Verdict['kind']]: Extract<Verdict, { kind: K }> } = {
  pass: { kind: 'pass', ...evidence() },
  reject: { kind: 'reject', reason: 'unit failed (exit 1)', feedback: 'tail', ...evidence() },
  tampered: { kind: 'tampered', reason: 'a sealed test changed', paths: [], ...evidence() },
  choice: { kind: 'choice', reason: 'package.json changed', paths: ['package.json'], ...evidence() },
  unknown: { kind: 'unknown', reason: 'no verdict came', ...evidence() },
};

/** A ground that is not fit to start on. */
export const badGround = (fault: Extract<Ground, { kind: 'failed' }>['fault']): Extract<Ground, { kind: 'failed' }> => ({
  kind: 'failed',
  fault,
  reason: `the ground is ${fault}`,
  checks: [],
});
