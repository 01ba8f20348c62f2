// Owns driving both machines as the workflow does, over a world that is made up from choices. No clock, no Temporal.
// Must never decide anything itself: it does what the machines' states ask for and tells them what came of it.
import { breachOf } from '../../machines/budget.js';
import { defaultLimits } from '../../machines/contract/limits.js';
import { isFinal, isWaiting, type RunState } from '../../machines/contract/run-state.js';
import { nextStepAfter, type Stage, stages } from '../../machines/contract/stage.js';
import { addUsage, noSpend, type Spend } from '../../machines/contract/usage.js';
import type { RunEvent, RunMachineInput } from '../../machines/run.js';
import type { StageEvent } from '../../machines/stage.js';
import { advanceRun, advanceStage, beginRun, beginStage, type RunSnapshot, restoreRun, restoreStage, type StageSnapshot, save } from '../../machines/step.js';
import { badGround, outcomes, verdicts } from '../machines/facts.js';

/** What a drive starts with; `usd` is the budget of the run, `attemptsMax` holds for every stage. */
export type Scene = RunMachineInput & { attemptsMax: number; usd: number };

/** What happens: `choose` answers 0 to `count` - 1 and makes up the world, `crash` says whether memory is lost and restored between two events. */
export type Fate = { choose: (count: number) => number; crash: () => boolean };

/** One moment of a drive, after an event. `agents` counts the agent processes so far. */
export type Moment = { state: RunState; run: RunSnapshot; stage: StageSnapshot | null; event: string; agents: number };

/** Acts and commands after which a drive that has not come to rest is taken to spin. */
const actsMax = 1_000;

type Live = {
  scene: Scene;
  fate: Fate;
  run: RunSnapshot;
  stage: StageSnapshot | null;
  spend: Spend;
  usd: number;
  agents: number;
  moments: Moment[];
};

/** Drives a run until it is over or nobody does anything about its waiting; gives every moment of it. Throws when it spins. */
export function drive(scene: Scene, fate: Fate): Moment[] {
  const live: Live = { scene, fate, run: beginRun(scene), stage: null, spend: noSpend, usd: scene.usd, agents: 0, moments: [] };
  tellRun(live, { type: 'budget.checked', breach: breach(live) });
  for (let acts = 0; acts < actsMax; acts += 1) {
    const state = stateOf(live);
    if (isFinal(state)) return live.moments;
    if (!isWaiting(state)) move(live);
    else if (!waitForPerson(live, state)) return live.moments;
  }
  throw new Error(`expected a run that comes to rest, found one that still moves after ${actsMax} acts`);
}

function move(live: Live): void {
  interrupt(live);
  const state = stateOf(live);
  if (isFinal(state) || isWaiting(state)) return;
  if (live.stage?.status === 'done') settle(live, live.stage);
  else if (live.stage) perform(live, live.stage);
  else dispatch(live);
}

function interrupt(live: Live): void {
  const whim = pick(live, [...Array<null>(60).fill(null), 'pause', 'resume', 'abort', 'cancel', 'deadline', 'extend'] as const);
  if (whim === 'pause') toBoth(live, 'person.paused');
  if (whim === 'resume') toBoth(live, 'person.resumed');
  if (whim === 'abort') abort(live);
  if (whim === 'extend') extend(live);
  if (whim !== 'cancel' && whim !== 'deadline') return;
  live.stage = null;
  tellRun(live, { type: whim === 'cancel' ? 'person.cancelled' : 'deadline.passed' });
}

function dispatch(live: Live): void {
  const stage = stages.find((name) => name === live.run.value);
  if (!stage) throw new Error(`expected a dispatched stage, found ${live.run.value}`);
  const { entry } = live.run.context;
  live.stage = beginStage({ stage, entry: stage === 'review' ? 'judge' : entry, attemptsMax: live.scene.attemptsMax });
  tell(live, { type: 'budget.checked', breach: breach(live) });
}

function perform(live: Live, { value, context }: StageSnapshot): void {
  if (pick(live, [...Array<boolean>(9).fill(false), true])) tell(live, { type: 'infrastructure.failed', reason: 'disk full' });
  else if (value === 'preparing') prepare(live);
  else if (value === 'judging') judge(live, context);
  else work(live);
}

function prepare(live: Live): void {
  const fault = pick(live, [null, null, null, null, 'baseline_red', 'already_green'] as const);
  tell(live, fault ? { type: 'ground.failed', ground: badGround(fault) } : { type: 'ground.proved' });
}

function work(live: Live): void {
  const usage = { usd: pick(live, [1, null, 4, 30]), tokens: null };
  const kind = pick(live, ['finished', 'finished', 'needs_login', 'needs_login', ...kindsOf(outcomes)] as const);
  live.agents += 1;
  live.spend = addUsage(live.spend, usage);
  tell(live, { type: 'budget.checked', breach: breach(live) });
  tell(live, { type: 'agent.ended', outcome: { ...outcomes[kind], usage }, changed: pick(live, [true, true, false]) });
}

function judge(live: Live, { entry, judged, attempts }: StageSnapshot['context']): void {
  if (entry === 'judge' && !judged && attempts === 0) tell(live, { type: 'work.captured', changed: pick(live, [true, false]) });
  const kind = pick(live, ['pass', 'pass', 'pass', 'reject', 'reject', ...kindsOf(verdicts)] as const);
  tell(live, { type: 'verdict.reached', verdict: verdicts[kind] });
}

function settle(live: Live, ended: StageSnapshot): void {
  const { stage, reason } = ended.context;
  const why = reason ?? 'no reason';
  live.stage = null;
  tellRun(live, { type: 'budget.checked', breach: breach(live) });
  const isPublished = pick(live, [...Array<boolean>(9).fill(true), false]);
  const ends: Record<string, RunEvent> = {
    passed: { type: 'stage.passed', moved: pick(live, [true, true, true, true, true, false]), nextStep: nextStepOf(live, stage) },
    stuck: { type: 'stage.stuck', reason: why },
    integrity: { type: 'stage.tampered', reason: why },
    aborted: { type: 'stage.aborted', reason: why },
  };
  tellRun(live, (isPublished && ends[ended.value]) || { type: 'stage.blocked', reason: isPublished ? why : 'could not be published' });
}

function nextStepOf(live: Live, stage: Stage): string | null {
  return pick(live, [...Array<string>(12).fill(nextStepAfter(stage)), null, 'pdlc-tdd', 'pdlc-review', 'pdlc-ship', 'pdlc-design']);
}

function waitForPerson(live: Live, state: RunState): boolean {
  if (state === 'limited' && pick(live, [true, false])) {
    tell(live, { type: 'timer.fired' });
    return true;
  }
  const deed = pick(live, [null, 'resume', 'resume', 'resume', 'resume', 'extend', 'extend', 'choose', 'pause', 'abort'] as const);
  if (deed === 'resume' && state !== 'capped' && state !== 'awaiting_choice') toBoth(live, 'person.resumed');
  if (deed === 'pause') toBoth(live, 'person.paused');
  if (deed === 'choose') tell(live, { type: 'person.chose', allow: pick(live, [true, false]) });
  if (deed === 'extend') extend(live);
  if (deed === 'abort') abort(live);
  return deed !== null;
}

function extend(live: Live): void {
  live.usd += pick(live, [0, 40]);
  const told = { type: 'budget.checked', breach: breach(live) } as const;
  tell(live, told);
  tellRun(live, told);
  tellRun(live, { type: 'steps.extended', stepsMax: live.run.context.stepsMax + pick(live, [1, 0]) });
}

function abort(live: Live): void {
  tell(live, { type: 'person.aborted', reason: 'enough' });
  tellRun(live, { type: 'person.aborted', reason: 'enough' });
}

function toBoth(live: Live, type: 'person.resumed' | 'person.paused'): void {
  if (live.stage?.status === 'active') tell(live, { type });
  else tellRun(live, { type });
}

function tell(live: Live, event: StageEvent): void {
  if (!live.stage) return;
  live.stage = advanceStage(live.fate.crash() ? restoreStage(throughJson(save(live.stage))) : live.stage, event);
  note(live, event.type);
}

function tellRun(live: Live, event: RunEvent): void {
  live.run = advanceRun(live.fate.crash() ? restoreRun(throughJson(save(live.run))) : live.run, event);
  note(live, event.type);
}

function note(live: Live, event: string): void {
  const { run, stage, agents } = live;
  live.moments.push({ state: stateOf(live), run, stage, event, agents });
}

function stateOf({ run, stage }: Live): RunState {
  const value = stage?.status === 'active' ? stage.value : run.value;
  return (stages as readonly string[]).includes(value) ? 'deciding' : (value as RunState); // machine states are this list, proved by the walks
}

function breach({ spend, usd }: Live): string | null {
  return breachOf(spend, { ...defaultLimits, usd }, null);
}

function pick<T>({ fate }: Live, options: readonly T[]): T {
  return options[fate.choose(options.length)] as T; // choose stays below the count that it is given
}

function kindsOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[]; // a literal table has exactly its own keys
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
