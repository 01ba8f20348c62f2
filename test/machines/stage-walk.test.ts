// Walks everything a stage can reach: every fact in every state, from every start. What holds here holds for all paths, not for examples.
import { describe, expect, test } from 'vitest';
import { finalStates, isWaiting, movingStates, type RunState, runStates } from '../../machines/contract/run-state.js';
import { stages } from '../../machines/contract/stage.js';
import { type StageEvent, stageMachine } from '../../machines/stage.js';
import { advanceStage, beginStage, restoreStage, type StageSnapshot, save } from '../../machines/step.js';
import { leadingTo, type Step, walk } from '../helpers/walk.js';
import { badGround, outcomes, verdicts } from './facts.js';

const entries = ['work', 'judge'] as const;
const starts = [
  ...stages.flatMap((stage) => entries.flatMap((entry) => [0, 1].map((attemptsMax) => ({ stage, entry, attemptsMax })))),
  // The machine knows review and not review, so two stages show the larger cap.
  ...(['tdd', 'review'] as const).flatMap((stage) => entries.map((entry) => ({ stage, entry, attemptsMax: 2 }))),
];
// Ends that the machine takes alike stand for each other here; stage.test.ts has one of each.
const events: StageEvent[] = [
  { type: 'ground.proved' },
  { type: 'ground.failed', ground: badGround('baseline_red') },
  { type: 'ground.failed', ground: badGround('already_green') },
  ...[true, false].map((changed) => ({ type: 'agent.ended', outcome: outcomes.finished, changed }) as const),
  ...[true, false].map((changed) => ({ type: 'agent.ended', outcome: outcomes.failed, changed }) as const),
  ...[outcomes.lost, outcomes.limited, outcomes.needs_login, outcomes.misconfigured].map(
    (outcome) => ({ type: 'agent.ended', outcome, changed: false }) as const,
  ),
  { type: 'work.captured', changed: true },
  ...Object.values(verdicts).map((verdict) => ({ type: 'verdict.reached', verdict }) as const),
  { type: 'infrastructure.failed', reason: 'disk full' },
  { type: 'budget.checked', breach: 'too dear' },
  { type: 'budget.checked', breach: null },
  { type: 'timer.fired' },
  { type: 'person.resumed' },
  { type: 'person.paused' },
  { type: 'person.aborted', reason: 'enough' },
  { type: 'person.chose', allow: true },
  { type: 'person.chose', allow: false },
];
const agentStates = ['working', 'repairing'];

const known = new Map(
  Object.entries(stageMachine.states).map(([name, node]) => [name, events.filter(({ type }) => (node.ownEvents as string[]).includes(type))]),
);
const { states, steps } = walk(starts.map(beginStage), {
  events: (state) => known.get(state.value) ?? [],
  advance: (state, event) => advanceStage(throughJson(state), event),
  keyOf,
});
const sampleOf = new Map(states.map((state) => [state.value, state]));
// A moving state that an effect's end leads back to is entered again.
const staying = /^(person|budget|work)/;
const entering = (...names: string[]) =>
  steps.filter(({ from, event, to }) => names.includes(to.value) && (from.value !== to.value || !staying.test(event.type)));

test('a stage is in no state outside the list, and in each of them at some time', () => {
  const own = ['passed', 'aborted', 'blocked', 'stuck', 'integrity'];
  const notOwn = ['capped', 'deciding', ...finalStates];
  expect([...sampleOf.keys()].sort()).toEqual([...new Set([...runStates.filter((state) => !notOwn.includes(state)), ...own])].sort());
});

test('no state and no event is called ship or deploy', () => {
  expect([...Object.keys(stageMachine.states), ...stageMachine.events].filter((name) => /ship|deploy/i.test(name))).toEqual([]);
});

test('every event of the machine is walked, and one that a state does not know changes nothing', () => {
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([...stageMachine.events].sort());
  for (const [name, state] of sampleOf) {
    for (const event of events) if (!known.get(name)?.includes(event)) expect(save(advanceStage(state, event))).toEqual(save(state));
  }
});

test('nothing leads out of a final state, and every other state leads to one', () => {
  const isOver = ({ status }: StageSnapshot): boolean => status === 'done';
  for (const state of states.filter(isOver)) expect(known.get(state.value)).toEqual([]);
  const ends = leadingTo(steps, keyOf, isOver);
  expect(states.filter((state) => !ends.has(keyOf(state)))).toEqual([]);
});

test('a person can lead every waiting state on, to work or to a pass, without aborting', () => {
  const isPersons = ({ event }: Step<StageSnapshot, StageEvent>): boolean => /^(person|budget)/.test(event.type) && event.type !== 'person.aborted';
  const isOn = ({ value }: StageSnapshot): boolean => isMoving(value) || ['passed', 'blocked', 'stuck', 'aborted', 'integrity'].includes(value);
  const leads = leadingTo(steps.filter(isPersons), keyOf, isOn);
  expect(states.filter((state) => isWaitingHere(state) && !leads.has(keyOf(state)))).toEqual([]);
});

test('a person can abort every waiting state at once, and every moving one at its next decision', () => {
  const aborting = steps.filter(({ event }) => event.type === 'person.aborted');
  expect(aborting.filter(({ from, to }) => (isWaitingHere(from) ? to.value !== 'aborted' : to.context.abort === null))).toEqual([]);
  const decided = steps.filter(({ from, to }) => from.context.abort !== null && from.value !== to.value);
  // A failing ground or infrastructure is known before anything can be decided.
  expect([...new Set(decided.map(({ to }) => to.value))].sort()).toEqual(['aborted', 'env_broken', 'preparing']);
});

test('only a person, or the timer of a usage limit, leads out of a waiting state', () => {
  const leaving = steps.filter(({ from, to }) => isWaitingHere(from) && from.value !== to.value);
  const byItself = leaving.filter(({ event }) => !/^(person|budget)/.test(event.type));
  expect([...new Set(byItself.map(({ from, event }) => `${from.value} ${event.type}`))]).toEqual(['limited timer.fired']);
});

test('a stage passes only on a verdict that says pass', () => {
  expect(entering('passed').filter(({ to }) => to.context.fact !== 'pass')).toEqual([]);
  const passing = steps.filter(({ from, to }) => to.context.fact === 'pass' && from.context.fact !== 'pass');
  expect([...new Set(passing.map(({ event }) => (event.type === 'verdict.reached' ? event.verdict.kind : event.type)))]).toEqual(['pass']);
});

describe('an agent', () => {
  test('is never started over the attempts, the budget, a pause or an abort', () => {
    const wrong = entering(...agentStates).filter(({ to: { context } }) => {
      const attemptsUsed = context.attempts + (context.stage === 'review' ? 1 : 0);
      return attemptsUsed >= context.attemptsMax || context.breach !== null || context.pause || context.abort !== null;
    });
    expect(wrong).toEqual([]);
  });

  test('works first on an untouched stage and repairs otherwise', () => {
    const isFirst = ({ context }: StageSnapshot): boolean => context.entry === 'work' && context.attempts === 0;
    expect(entering(...agentStates).filter(({ to }) => (to.value === 'working') !== isFirst(to))).toEqual([]);
  });

  test('uses up an attempt only by what it did itself', () => {
    const charging = steps.filter(({ from, to }) => from.context.attempts !== to.context.attempts);
    const kinds = charging.map(({ event }) => (event.type === 'agent.ended' ? event.outcome.kind : event.type));
    expect([...new Set(kinds)].sort()).toEqual(['failed', 'finished']);
    expect(states.filter(({ context }) => context.attempts > context.attemptsMax)).toEqual([]);
  });

  test('that exits with an error is never judged', () => {
    const judged = entering('judging').filter(({ event }) => event.type === 'agent.ended');
    expect([...new Set(judged.map(({ event }) => event.type === 'agent.ended' && event.outcome.kind))]).toEqual(['finished']);
  });
});

test('an evaluator is never the first agent of a stage whose budget is breached', () => {
  const first = entering('judging').filter(({ to: { context } }) => context.stage === 'review' && context.fact === 'none');
  expect(first.filter(({ to }) => to.context.breach !== null)).toEqual([]);
});

test('whatever begins again without being charged gets a new mark for its ids', () => {
  const again = entering('judging', ...agentStates, 'preparing').filter(({ from }) => from.value !== 'paused' && from.value !== 'preparing');
  const mark = ({ context }: StageSnapshot): string => `${context.attempts} ${context.retries}`;
  const isFresh = ({ event, from, to }: Step<StageSnapshot, StageEvent>): boolean =>
    mark(from) !== mark(to) || event.type === 'verdict.reached' || (event.type === 'person.chose' && !event.allow);
  expect(again.filter((step) => !isFresh(step))).toEqual([]);
});

test('a stage is stuck only with an unchanged tree, and never in review', () => {
  expect(entering('stuck').filter(({ to }) => to.context.changed || to.context.stage === 'review')).toEqual([]);
  expect(entering('blocked').filter(({ to: { context } }) => !context.changed && context.fact === 'reject' && context.stage !== 'review')).toEqual([]);
});

test('a snapshot that went through JSON is the same snapshot', () => {
  for (const state of states) expect(throughJson(state)).toMatchObject({ ...save(state), status: state.status });
});

function keyOf({ value, context, status }: StageSnapshot): string {
  // Words and marks of ids decide nothing; an end remembers nothing; a fact is forgotten once it has been acted on.
  const { retries, reason, reasonBefore, until, fact, ...rest } = context;
  if (status === 'done') return JSON.stringify([value, rest.stage, rest.changed, fact]);
  return JSON.stringify([value, rest, value === 'paused' || value === 'preparing' ? fact : null]);
}

function throughJson(state: StageSnapshot): StageSnapshot {
  return restoreStage(JSON.parse(JSON.stringify(save(state))));
}

function isMoving(value: string): boolean {
  return (movingStates as readonly string[]).includes(value);
}

function isWaitingHere({ value, status }: StageSnapshot): boolean {
  return status === 'active' && isWaiting(value as RunState);
}
