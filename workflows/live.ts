// Owns the memory of a running workflow: the two machines, the report and the facts not yet written to the ledger. All of it is JSON, so that continue-as-new can carry it.
import type { AgentResult, AttemptRef, Candidate } from '../machines/contract/activities.js';
import type { Card } from '../machines/contract/card.js';
import type { Fact, LedgerEntry } from '../machines/contract/ledger.js';
import { applyEntry, emptyReport, type Report } from '../machines/contract/report.js';
import type { RunInput } from '../machines/contract/run-input.js';
import type { RunState } from '../machines/contract/run-state.js';
import type { Stage } from '../machines/contract/stage.js';
import { beginRun, type RunSnapshot, restoreRun, restoreStage, type Saved, type StageSnapshot, save } from '../machines/step.js';
import { type Clock, startClock } from './clock.js';

/** What the current stage works on: `candidate` is the last capture or the tip, `seal` the commit whose deciding files must stay, `card` the last evaluator's, `rejection` the text for the next prompt, `tampered` the paths to put back first, `ended` an agent's end whose work is not captured yet, `startedAt` epoch ms. */
export type StageWork = {
  step: number;
  candidate: Candidate | null;
  seal: string;
  card: Card | null;
  rejection: string | null;
  tampered: string[];
  ended: AgentResult | null;
  startedAt: number;
  checks: Record<string, boolean>;
};

/**
 * `tip` is the branch's last verified commit, `readyAt` the commit that the tree is known to stand at, `verified` the commit whose checks this run saw green, `pending` are facts that the ledger file does not hold yet, `notesGiven` of `notes` an agent has read,
 * `activeMs` counts against the deadline, `clock` what the current move adds to it, `commands` counts what persons asked, `reseal` is a person's word that the kept tree's tests are the seal.
 */
export type Live = {
  input: RunInput;
  runKey: string;
  run: RunSnapshot;
  stage: StageSnapshot | null;
  work: StageWork | null;
  report: Report;
  pending: LedgerEntry[];
  notes: string[];
  notesGiven: number;
  seen: string[];
  commands: number;
  tip: string;
  readyAt: string | null;
  verified: string | null;
  groundProved: boolean;
  reseal: boolean;
  activeMs: number;
  clock: Clock;
  last: { usd: number | null; usdMax: number } | null;
};

/** A `Live` with its machines reduced to plain JSON; an execution of before there were clocks carried none. */
export type Carried = Omit<Live, 'input' | 'run' | 'stage' | 'clock'> & { clock?: Clock; run: Saved<RunSnapshot>; stage: Saved<StageSnapshot> | null };

/** A run at its beginning. */
export function beginLive(input: RunInput, runKey: string): Live {
  const { startStage: stage, entry, honor, config, tip } = input;
  const run = beginRun({ stage, entry, honor, stepsMax: config.limits.steps });
  const empty = { stage: null, work: null, readyAt: null, verified: null, last: null, pending: [], notes: [], notesGiven: 0, seen: [] };
  return { input, runKey, run, tip, ...empty, report: emptyReport, commands: 0, groundProved: false, reseal: false, activeMs: 0, clock: startClock(0) };
}

/** What the next execution of the same run goes on from. */
export function carry({ input: _, ...live }: Live): Carried {
  return { ...live, run: save(live.run), stage: live.stage && save(live.stage) };
}

/** The run as an earlier execution left it. */
export function restoreLive(input: RunInput, carried: Carried): Live {
  return { ...carried, clock: carried.clock ?? startClock(0), input, run: restoreRun(carried.run), stage: carried.stage && restoreStage(carried.stage) };
}

/** Records a fact: into the report at once, into the ledger with the next act that writes it. */
export function record(live: Live, fact: Fact): void {
  const entry = { ...fact, seq: live.report.seq + 1, at: new Date().toISOString() } as LedgerEntry; // a Fact is an entry without exactly these two fields
  live.report = applyEntry(live.report, entry);
  live.pending.push(entry);
}

/** The state that a person sees: the stage's own where a stage is under way, else the run's. */
export function stateOf(live: Live): RunState {
  const value = live.stage && live.stage.status === 'active' ? live.stage.value : live.run.value;
  return value === 'tdd' || value === 'implement' || value === 'review' ? 'deciding' : (value as RunState); // machine states are this list, proved by test
}

/** The stage that the run machine has dispatched, or null. */
export function dispatchedStage(live: Live): Stage | null {
  const { value } = live.run;
  return value === 'tdd' || value === 'implement' || value === 'review' ? value : null;
}

/** Where the run is, for activity ids: the attempt under way while an agent works, the last one while it is judged. */
export function placeOf(live: Live, attempt: 'next' | 'last'): AttemptRef {
  const { stage, work } = live;
  if (!stage || !work) throw new Error('no stage is under way');
  const { attempts, retries } = stage.context;
  return { stage: stage.context.stage, step: work.step, attempt: attempts + (attempt === 'next' ? 1 : 0), tries: retries };
}
