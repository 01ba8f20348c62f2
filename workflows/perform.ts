// Owns what a moving stage has done for it: one act per state, whose result is recorded and fed back to the machine. It decides nothing.
import { ActivityFailure, isCancellation, rootCause } from '@temporalio/workflow';
import { breachOf } from '../machines/budget.js';
import { type AgentResult, type AttemptRef, attemptId } from '../machines/contract/activities.js';
import { type Capture, isCharged, outcomeProblem, type Role } from '../machines/contract/attempt.js';
import { checkFacts } from '../machines/contract/state-file.js';
import { unknownUsage } from '../machines/contract/usage.js';
import type { Verdict } from '../machines/contract/verdict.js';
import type { StageEvent } from '../machines/stage.js';
import { advanceStage } from '../machines/step.js';
import { type Live, placeOf, record } from './live.js';
import { act } from './options.js';

/** Does what the stage's state asks for and advances the stage; an act that kept failing is told to the machine, cancellation passes through. */
export async function perform(live: Live): Promise<void> {
  const state = live.stage?.value;
  try {
    if (state === 'preparing') return await prepare(live);
    if (state === 'working' || state === 'repairing') return await work(live, state);
    if (state === 'judging') return await judge(live);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const reason = rootCause(error) ?? error.message;
    const { stage, step } = placeOf(live, 'last');
    record(live, { kind: 'infrastructure.failed', stage, step, act: error.activityType, reason });
    return tell(live, { type: 'infrastructure.failed', reason: `${error.activityType} kept failing: ${reason}` });
  }
  throw new Error(`stage state ${String(state)} has nothing to perform`);
}

/** Records an agent or an evaluator that was stopped in mid-work, if one was: what it cost is not known, which is not nothing. */
export function recordStopped(live: Live): void {
  const state = live.stage?.value;
  const isEvaluated = state === 'judging' && live.stage?.context.stage === 'review';
  if (!isEvaluated && ((state !== 'working' && state !== 'repairing') || live.work?.ended)) return;
  const { stage, step, attempt } = placeOf(live, isEvaluated ? 'last' : 'next');
  const role: Role = isEvaluated ? 'evaluator' : stage === 'review' ? 'fixer' : 'worker';
  const outcome = { kind: 'cancelled', usage: unknownUsage, durationMs: 0, lastWords: '' } as const;
  record(live, { kind: 'attempt.ended', stage, step, attempt, role, outcome, swept: 0 });
}

/** Why no further agent may be started, as of now, or null. */
export function breachNow(live: Live): string | null {
  return breachOf(live.report.spend, live.report.limits, live.last);
}

/** Feeds one fact to the stage machine. */
export function tell(live: Live, event: StageEvent): void {
  if (live.stage) live.stage = advanceStage(live.stage, event);
}

async function prepare(live: Live): Promise<void> {
  const at = placeOf(live, 'next');
  const proveGround = !live.groundProved;
  // Publishing the stage before has left the tree at the tip; only a setup could have more to do.
  if (!proveGround && live.readyAt === live.tip && live.input.config.setup === null) return tell(live, { type: 'ground.proved' });
  const { entry } = live.run.context;
  const { prepare } = act('prepare', live, { id: attemptId(at), summary: proveGround ? 'worktree, setup, ground' : 'worktree' });
  const { ground, tree, notices } = await prepare({ ...forRun(live), at, tip: live.tip, entry, proveGround });
  record(live, { kind: 'ground.proved', stage: at.stage, step: at.step, ground, tree, notices });
  if (ground.kind === 'failed') return tell(live, { type: 'ground.failed', ground });
  live.groundProved = true;
  tell(live, { type: 'ground.proved' });
}

async function work(live: Live, state: 'working' | 'repairing'): Promise<void> {
  const at = placeOf(live, 'next');
  const { outcome, capture: captured } = live.work?.ended ?? (await runAgent(live, at, state));
  const changed = isCharged(outcome) ? await capture(live, at, { author: 'agent', captured }) : (live.stage?.context.changed ?? false);
  const problem = outcomeProblem(outcome);
  if (live.work) live.work.ended = null;
  if (live.work && problem && isCharged(outcome)) live.work.rejection = `${problem}\n\n${outcome.lastWords}`;
  tell(live, { type: 'budget.checked', breach: breachNow(live) });
  tell(live, { type: 'agent.ended', outcome, changed });
}

/** Its end is remembered until its work is captured: a capture that fails must not start a second agent for the same attempt. */
async function runAgent(live: Live, at: AttemptRef, state: 'working' | 'repairing'): Promise<AgentResult> {
  const role: Role = at.stage === 'review' ? 'fixer' : 'worker';
  const { agent } = act('agent', live, { id: attemptId(at), summary: `${at.stage}: ${role}${state === 'repairing' ? ' (repair)' : ''}` });
  const { seal, tampered } = live.work ?? { seal: live.tip, tampered: [] };
  const restore = tampered.length > 0 ? { commit: seal, paths: tampered } : null;
  const last = at.attempt + (role === 'fixer' ? 1 : 0) >= (live.stage?.context.attemptsMax ?? 0);
  live.notesGiven = live.notes.length;
  const work = { parent: live.work?.candidate?.commit ?? live.tip, tip: live.tip, atMs: Date.now() };
  const ended = await agent({ ...forRun(live), at, role, work, rejection: live.work?.rejection ?? null, restore, notes: live.notes, last });
  const { outcome, swept } = ended;
  record(live, { kind: 'attempt.ended', stage: at.stage, step: at.step, attempt: at.attempt, role, outcome, swept });
  live.last = { usd: outcome.usage.usd, usdMax: live.input.config.stages[at.stage].usdPerAttempt };
  if (live.work) live.work.ended = ended;
  return ended;
}

async function judge(live: Live): Promise<void> {
  const at = placeOf(live, 'last');
  if (live.stage?.context.entry === 'judge' && !live.stage.context.judged && at.attempt === 0) {
    // Only a resumed stage begins with a person's work in the tree; a review judges what is at the tip.
    if (live.run.context.entry === 'judge') tell(live, { type: 'work.captured', changed: await capture(live, at, { author: 'person', captured: null }) });
    else if (live.work) live.work.candidate = { commit: live.tip, changed: false, files: [] };
  }
  const candidate = live.work?.candidate;
  if (!candidate) throw new Error('nothing was captured that could be judged');
  const { judge } = act('judge', live, { id: attemptId(at), summary: `${at.stage}: judge ${candidate.commit.slice(0, 10)}` });
  const startedMs = Date.now();
  const allowDependencies = live.stage?.context.allowDependencies ?? false;
  const verdict = await judge({
    ...forRun(live),
    at,
    candidate,
    tip: live.tip,
    seal: live.work?.seal ?? live.tip,
    verified: live.verified,
    previous: live.work?.card ?? null,
    allowDependencies,
  });
  const { stage, step, attempt } = at;
  record(live, { kind: 'verdict.reached', stage, step, attempt, commit: candidate.commit, verdict, durationMs: Date.now() - startedMs });
  remember(live, verdict, candidate.commit);
  tell(live, { type: 'budget.checked', breach: breachNow(live) });
  tell(live, { type: 'verdict.reached', verdict });
}

/** Whether the tree's work changed anything; the agent's activity brings its capture along, unless that failed there. */
async function capture(live: Live, at: AttemptRef, { author, captured }: { author: 'agent' | 'person'; captured: Capture | null }): Promise<boolean> {
  const { capture } = act('capture', live, { id: attemptId(at), summary: `${at.stage}: capture` });
  const parent = live.work?.candidate?.commit ?? live.tip;
  const candidate = captured ?? (await capture({ ...forRun(live), at, author, parent, tip: live.tip, atMs: Date.now() }));
  record(live, { kind: 'work.captured', stage: at.stage, step: at.step, attempt: at.attempt, author, capture: candidate });
  if (live.work) live.work.candidate = candidate;
  if (live.work && author === 'person' && live.reseal) live.work.seal = candidate.commit;
  return candidate.changed;
}

function remember(live: Live, verdict: Verdict, commit: string): void {
  if (!live.work) return;
  const stage = live.stage?.context.stage ?? 'review';
  live.work.checks = checkFacts(stage, verdict.checks);
  live.work.card = verdict.card ?? live.work.card;
  live.work.tampered = verdict.kind === 'tampered' ? verdict.paths.map(({ path }) => path) : [];
  live.work.rejection = verdict.kind === 'pass' ? null : 'feedback' in verdict ? verdict.feedback : verdict.reason;
  if (verdict.kind === 'pass' && stage !== 'tdd') live.verified = commit;
}

function forRun(live: Live): { run: Live['input']; runKey: string } {
  return { run: live.input, runKey: live.runKey };
}
