// Owns what a stage remembers and what each fact adds to it. Pure and JSON; which state follows is stage.ts.
import { type AgentOutcome, isCharged, outcomeProblem } from './contract/attempt.js';
import type { Stage } from './contract/stage.js';
import type { Ground, Verdict } from './contract/verdict.js';

/** `entry` judge: what is in the tree is judged before any agent starts (review, and a person's work after a resume). */
export type StageInput = { stage: Stage; entry: 'work' | 'judge'; attemptsMax: number };

/** What the last effect left to decide on. */
export type Fact = 'none' | 'work_done' | 'work_failed' | Uncharged | Verdict['kind'];
type Uncharged = 'ground_failed' | 'already_green' | 'infrastructure' | 'limited' | 'needs_login' | 'misconfigured';

/**
 * Everything a stage remembers; small and JSON. `attempts` are used up ones, `retries` counts what was begun again without being charged (so that
 * ids stay unique), `judged` whether a verdict was reached, `changed` whether the tree differs from the one at entry, `phase` is where an infrastructure
 * failure goes back to, `reason` why the stage stands where it does, `reasonBefore` what it was before a pause, `until` is epoch ms.
 */
export type StageContext = StageInput & {
  attempts: number;
  retries: number;
  judged: boolean;
  infrastructure: number;
  logins: number;
  tamperings: number;
  changed: boolean;
  fact: Fact;
  phase: 'work' | 'judge';
  reason: string | null;
  reasonBefore: string | null;
  until: number | null;
  pause: boolean;
  abort: string | null;
  breach: string | null;
  allowDependencies: boolean;
};

/** The memory at the stage's beginning. */
export function freshMemory(input: StageInput): StageContext {
  return {
    ...input,
    attempts: 0,
    retries: 0,
    judged: false,
    infrastructure: 0,
    logins: 0,
    tamperings: 0,
    changed: false,
    fact: 'none',
    phase: 'work',
    reason: null,
    reasonBefore: null,
    until: null,
    pause: false,
    abort: null,
    breach: null,
    allowDependencies: false,
  };
}

/** Whether what is in the tree is still to be judged before any agent starts. */
export function judgesFirst(context: StageContext): boolean {
  return context.fact === 'none' && context.entry === 'judge' && !context.judged;
}

/** Whether another agent may be started for this stage. */
export function attemptLeft(context: StageContext): boolean {
  // A review's first judgement takes the place of its first attempt, so that only the fixer is left.
  const used = context.attempts + (context.stage === 'review' ? 1 : 0);
  return used < context.attemptsMax;
}

/** What a failed ground adds. */
export function afterGround({ fault, reason }: Extract<Ground, { kind: 'failed' }>): Partial<StageContext> {
  return { fact: fault === 'already_green' ? 'already_green' : 'ground_failed', reason };
}

/** What is left to do when the stage goes on after it waited: failures in a row are forgiven, used up attempts are not. */
export function afresh(context: StageContext): Partial<StageContext> {
  // What was captured but not judged yet is judged, never done again.
  return { fact: context.phase === 'judge' ? 'work_done' : 'none', infrastructure: 0, logins: 0, reason: null, retries: context.retries + 1 };
}

/** What the end of an agent adds; only the agent's own doing uses up an attempt. */
export function afterAgent(context: StageContext, { outcome, changed }: { outcome: AgentOutcome; changed: boolean }): Partial<StageContext> {
  const fact = factOf(outcome);
  const charged = isCharged(outcome);
  return {
    fact,
    changed,
    attempts: context.attempts + (charged ? 1 : 0),
    retries: context.retries + (charged ? 0 : 1),
    infrastructure: charged ? 0 : context.infrastructure + (fact === 'infrastructure' ? 1 : 0),
    logins: context.logins + (fact === 'needs_login' ? 1 : 0),
    reason: outcomeProblem(outcome),
    until: outcome.kind === 'limited' ? outcome.until : null,
  };
}

/** What a verdict adds. */
export function afterVerdict(context: StageContext, verdict: Verdict): Partial<StageContext> {
  return {
    fact: verdict.kind,
    infrastructure: 0,
    judged: true,
    reason: verdict.kind === 'pass' ? null : verdict.reason,
    tamperings: context.tamperings + (verdict.kind === 'tampered' ? 1 : 0),
  };
}

/** What an act that kept failing adds; it uses up no attempt. */
export function afterInfrastructure(context: StageContext, reason: string): Partial<StageContext> {
  return { fact: 'infrastructure', reason, infrastructure: context.infrastructure + 1, retries: context.retries + 1 };
}

function factOf({ kind }: AgentOutcome): Fact {
  if (kind === 'finished') return 'work_done';
  if (kind === 'lost' || kind === 'cancelled') return 'infrastructure';
  return kind === 'limited' || kind === 'needs_login' || kind === 'misconfigured' ? kind : 'work_failed';
}
