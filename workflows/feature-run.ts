// Owns the workflow of one feature: ask the machine, have it done, feed the result back, until the run waits for a person or ends. Deterministic; decides nothing itself.
import { allHandlersFinished, CancellationScope, condition, continueAsNew, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { engine, engineProblem } from '../machines/contract/engine.js';
import type { Report } from '../machines/contract/report.js';
import type { RunInput } from '../machines/contract/run-input.js';
import { isFinal, isWaiting } from '../machines/contract/run-state.js';
import { beginStage } from '../machines/step.js';
import { startClock } from './clock.js';
import { abort, choose, extend, note, once, pause, resume } from './command.js';
import { beginLive, type Carried, carry, dispatchedStage, type Live, record, restoreLive, stateOf } from './live.js';
import { abortSignal, chooseSignal, extendSignal, noteSignal, pauseSignal, reportQuery, resumeSignal } from './messages.js';
import { breachNow, perform, recordStopped, tell } from './perform.js';
import { showDetails, showState } from './presence.js';
import { flush, lookAtClock, release, settleStage, tellRun } from './settle.js';

/** Events after which a run goes on in a fresh history; replaying must stay fast. */
const historyEventsMax = 1_000;
/** How long a usage limit without a reset time is waited for before it is tried again, in ms. */
const limitedWaitMs = 600_000;

/** Takes one feature from its start stage to review_done or to a stop; resolves with the final report. Cancelling it stops agents at once. */
export async function featureRun(input: RunInput, carried?: Carried): Promise<Report> {
  const problem = engineProblem(input.engine);
  // Fails the task and not the run: a newer worker takes it up as it was.
  if (problem) throw new Error(problem);
  const live = carried ? restoreLive(input, carried) : beginLive(input, workflowInfo().runId);
  handleCommands(live);
  if (!carried) start(live);
  try {
    while (!isFinal(stateOf(live))) {
      await moveWithinDeadline(live);
      await rollOver(live);
      if (isWaiting(stateOf(live))) await waitForPerson(live);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    recordStopped(live);
    tellRun(live, { type: 'person.cancelled' });
    live.stage = null;
    await end(live);
    throw error;
  }
  await end(live);
  return live.report;
}

function start(live: Live): void {
  const { input } = live;
  const { featureId, repo, branch, base, tip, design, configSource, honor } = input;
  const facts = { featureId, repo, branch, base, tip, configSource, honor, design: `${design.path} ${design.digest}`, limits: input.config.limits };
  record(live, { kind: 'run.started', workflowId: workflowInfo().workflowId, ...facts });
  tellRun(live, { type: 'budget.checked', breach: breachNow(live) });
}

async function moveWithinDeadline(live: Live): Promise<void> {
  const wasHeard = live.clock.last !== null;
  live.clock = startClock(Date.now());
  const moving = new CancellationScope();
  const clock = new CancellationScope();
  let passed = false;
  const ring = async (): Promise<void> => {
    // What the clocks did while the run waited is no business of this move: it begins with a reading of its own.
    if (wasHeard) await lookAtClock(live);
    await untilDeadline(live);
    passed = true;
    moving.cancel();
  };
  // Caught here and not where it is awaited: a cancelled run ends the clock long before its agent is gone.
  const alarm = clock.run(ring).catch(() => undefined);
  try {
    await moving.run(() => move(live));
  } catch (error) {
    if (!passed || !isCancellation(error)) throw error;
    recordStopped(live);
    live.stage = null;
    tellRun(live, { type: 'deadline.passed' });
  } finally {
    live.activeMs += Date.now() - live.clock.startedMs;
    clock.cancel();
    await alarm;
  }
}

/** Looked at again when it rings: the deadline may have been set anew meanwhile, or the server's clock have jumped; the host's own has the last word once it was heard. */
async function untilDeadline(live: Live): Promise<void> {
  const leftMs = (): number => live.report.limits.deadline - live.activeMs - (Date.now() - live.clock.startedMs);
  do {
    const { jumps } = live.clock;
    await condition(() => live.clock.jumps !== jumps, Math.max(1, leftMs()), { summary: 'deadline' });
    if (leftMs() <= 0 && live.clock.last) await lookAtClock(live);
  } while (leftMs() > 0);
}

/** Up to a wait, an end, or a history that is long enough; what goes on in a fresh one is taken along when all of this one is at rest. */
async function move(live: Live): Promise<void> {
  for (let state = stateOf(live); !isFinal(state) && !isWaiting(state) && !isLong(); state = stateOf(live)) {
    if (live.stage?.status === 'done') await settleStage(live);
    else if (live.stage) await perform(live);
    else dispatch(live);
    showDetails(live);
  }
}

function dispatch(live: Live): void {
  const stage = dispatchedStage(live);
  if (!stage) throw new Error(`the run machine dispatched nothing in state ${String(live.run.value)}`);
  const { entry: asked, steps: step } = live.run.context;
  const entry = stage === 'review' ? 'judge' : asked;
  live.stage = beginStage({ stage, entry, attemptsMax: live.input.config.stages[stage].attempts });
  live.work = { step, candidate: null, seal: live.tip, card: null, rejection: null, tampered: [], ended: null, startedAt: Date.now(), checks: {} };
  tell(live, { type: 'budget.checked', breach: breachNow(live) });
  record(live, { kind: 'stage.dispatched', stage, step, entry });
  showState(live);
}

async function waitForPerson(live: Live): Promise<void> {
  const state = stateOf(live);
  const context = live.stage?.context ?? live.run.context;
  const until = state === 'limited' ? untilOf(live) : null;
  record(live, { kind: 'run.waiting', state, reason: context.reason ?? state, until: until === null ? null : new Date(until).toISOString() });
  showState(live);
  showDetails(live);
  // A person may do anything to the tree meanwhile.
  live.readyAt = null;
  let { commands } = live;
  await flush(live);
  while (stateOf(live) === state) {
    // What was asked while the ledger was being written counts as well.
    const told = () => live.commands !== commands;
    if (until === null) await condition(told);
    else if (!(await condition(told, Math.max(1, until - Date.now()))) && Date.now() >= until) tell(live, { type: 'timer.fired' });
    ({ commands } = live);
    showDetails(live);
    if (stateOf(live) === state) await flush(live);
    await rollOver(live);
  }
}

function untilOf(live: Live): number {
  const now = Date.now();
  const wanted = live.stage?.context.until ?? now + limitedWaitMs;
  return Math.min(Math.max(wanted, now + 1_000), now + live.report.limits.wait);
}

/** Not to be cancelled: a run that is over, in whatever way, writes down its end and clears away its tree. */
async function end(live: Live): Promise<void> {
  await CancellationScope.nonCancellable(() => release(live));
  showState(live);
  showDetails(live);
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= historyEventsMax;
}

async function rollOver(live: Live): Promise<void> {
  if (!isLong()) return;
  await condition(allHandlersFinished);
  await continueAsNew<typeof featureRun>({ ...live.input, engine }, carry(live));
}

function liveReport(live: Live): Report {
  const state = stateOf(live);
  const attempts = live.stage?.context.attempts ?? live.report.attempt;
  const isWorking = state === 'working' || state === 'repairing';
  return { ...live.report, state, attempt: attempts + (isWorking ? 1 : 0), reason: isWaiting(state) || isFinal(state) ? live.report.reason : null };
}

function handleCommands(live: Live): void {
  setHandler(reportQuery, () => liveReport(live));
  setHandler(resumeSignal, (command) => once(live, { command: 'resume', id: command.id }, () => resume(live, command)));
  setHandler(pauseSignal, (command) => once(live, { command: 'pause', id: command.id }, () => pause(live)));
  setHandler(abortSignal, (command) => once(live, { command: 'abort', id: command.id }, () => abort(live, command.reason)));
  setHandler(noteSignal, (command) => once(live, { command: 'note', id: command.id }, () => note(live, command.text)));
  setHandler(extendSignal, (command) => once(live, { command: 'extend', id: command.id }, () => extend(live, command.extensions)));
  setHandler(chooseSignal, (command) => once(live, { command: 'choose', id: command.id }, () => choose(live, command.allow)));
}
