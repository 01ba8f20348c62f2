// Owns the ledger entries that tests write: one of each kind that matters, with as little as its schema asks for.
import type { AgentOutcome, Capture } from '../../../machines/contract/attempt.js';
import type { CheckResult } from '../../../machines/contract/check.js';
import type { Fact, LedgerEntry } from '../../../machines/contract/ledger.js';
import { defaultLimits } from '../../../machines/contract/limits.js';
import type { RunState } from '../../../machines/contract/run-state.js';
import type { Stage } from '../../../machines/contract/stage.js';
import type { Verdict } from '../../../machines/contract/verdict.js';

/** Facts with numbers from 1 and times a second apart. */
export function numbered(facts: readonly Fact[]): LedgerEntry[] {
  return facts.map((fact, index) => ({ ...fact, seq: index + 1, at: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString() }) as LedgerEntry); // a Fact is an entry without exactly these two fields
}

/** The first fact of every run. */
export const started: Fact = {
  kind: 'run.started',
  featureId: 'F1',
  workflowId: 'pdlc/p/F1',
  repo: '/repo',
  branch: 'pdlc/F1',
  base: 'b'.repeat(40),
  tip: 'b'.repeat(40),
  design: 'd.md sha256:0',
  limits: defaultLimits,
  configSource: 'pdlc.yaml',
  honor: false,
};

const facts = { usage: { usd: null, tokens: null }, durationMs: 1, lastWords: 'done "so" 🎉\n\u0007' };

/** An attempt of a worker that ended. */
export const attempt = (stage: Stage, number: number, kind: 'finished' | 'timed_out' | 'lost' | 'limited' = 'finished'): Fact => {
  const outcome: AgentOutcome = kind === 'limited' ? { kind, until: null, ...facts } : { kind, ...facts };
  return { kind: 'attempt.ended', stage, step: 1, attempt: number, role: 'worker', outcome, swept: 0 };
};

/** What the attempt left, captured. */
export const captured = (stage: Stage, number: number, stateTamper = false): Fact => {
  const capture: Capture = { commit: 'c', tree: 't', changed: true, files: [], filesTotal: 0, omitted: [], agentCommits: 0, stateTamper };
  return { kind: 'work.captured', stage, step: 1, attempt: number, author: 'agent', capture };
};

/** A verdict on the attempt; `checks` are those that ran, the last of them decided where the gate is checks. */
export const judged = (
  stage: Stage,
  number: number,
  { kind, ...more }: { kind: Verdict['kind']; checks?: CheckResult[]; gate?: Verdict['gate']; reason?: string },
): Fact => {
  const { checks = [], gate = 'checks', reason = 'no' } = more;
  const evidence = { gate, checks, card: null, usage: [] };
  const verdicts: Record<Verdict['kind'], Verdict> = {
    pass: { kind: 'pass', ...evidence },
    reject: { kind: 'reject', reason, feedback: reason, ...evidence },
    tampered: { kind: 'tampered', reason, paths: [], ...evidence },
    choice: { kind: 'choice', reason, paths: [], ...evidence },
    unknown: { kind: 'unknown', reason, ...evidence },
  };
  return { kind: 'verdict.reached', stage, step: 1, attempt: number, commit: 'c', verdict: verdicts[kind], durationMs: 1 };
};

/** The end of a stage. */
export const settled = (stage: Stage, ok: boolean): Fact => ({
  kind: 'stage.settled',
  stage,
  step: 1,
  ok,
  reason: ok ? null : 'no',
  attempts: 1,
  durationMs: 1,
});

/** The run waits. */
export const waiting = (state: RunState, reason = 'why'): Fact => ({ kind: 'run.waiting', state, reason, until: null });

/** The run is over. */
export const over = (state: RunState, reason: string | null = null): Fact => ({ kind: 'run.ended', state, reason });
