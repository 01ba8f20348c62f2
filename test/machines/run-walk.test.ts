// Walks everything a run can reach: every fact in every state, from every start. What holds here holds for all paths, not for examples.
import { expect, test } from 'vitest';
import { finalStates, isWaiting, type RunState } from '../../machines/contract/run-state.js';
import { stageIndex, stages } from '../../machines/contract/stage.js';
import { type RunEvent, runMachine } from '../../machines/run.js';
import { advanceRun, beginRun, type RunSnapshot, restoreRun, save } from '../../machines/step.js';
import { leadingTo, type Step, walk } from '../helpers/walk.js';

/** A run and how often one of its stages was entered again, which only the walk counts. */
type Walked = { run: RunSnapshot; again: number };

/** Steps that a person may raise the cap to, so that the walk ends. */
const stepsCap = 3;

const starts = stages.flatMap((stage) =>
  (['work', 'judge'] as const).flatMap((entry) =>
    [true, false].flatMap((honor) => [0, 1, 2].map((stepsMax) => ({ run: beginRun({ stage, entry, honor, stepsMax }), again: 0 }))),
  ),
);
const nextSteps = ['pdlc-tdd', 'pdlc-implement', 'pdlc-review', 'pdlc-ship', 'pdlc-design', null];
const facts: RunEvent[] = [
  ...nextSteps.flatMap((nextStep) => [true, false].map((moved) => ({ type: 'stage.passed', moved, nextStep }) as const)),
  { type: 'stage.blocked', reason: 'unit failed' },
  { type: 'stage.stuck', reason: 'nothing changed' },
  { type: 'stage.tampered', reason: 'a sealed test changed' },
  { type: 'stage.aborted', reason: 'enough' },
  { type: 'budget.checked', breach: 'too dear' },
  { type: 'budget.checked', breach: null },
  { type: 'deadline.passed' },
  { type: 'person.resumed' },
  { type: 'person.paused' },
  { type: 'person.aborted', reason: 'enough' },
  { type: 'person.cancelled' },
];

const { states, steps } = walk<Walked, RunEvent>(starts, { events: eventsIn, advance, keyOf });
const sampleOf = new Map(states.map((state) => [state.run.value, state]));
const isStage = (value: string): boolean => (stages as readonly string[]).includes(value);
const dispatching = steps.filter(({ from, to }) => to.run.context.steps > from.run.context.steps);

test('a run is in no state outside the list, and in each of its own at some time', () => {
  const own = [...stages, 'blocked', 'stuck', 'capped', 'paused', 'integrity', ...finalStates];
  expect([...sampleOf.keys()].sort()).toEqual([...own].sort());
});

test('no state and no event is called ship or deploy', () => {
  expect([...Object.keys(runMachine.states), ...runMachine.events].filter((name) => /ship|deploy/i.test(name))).toEqual([]);
});

test('every event of the machine is walked', () => {
  const walked = [...facts.map(({ type }) => type), 'steps.extended'];
  expect([...new Set(walked)].sort()).toEqual([...runMachine.events].sort());
});

test('the stage never falls, and is entered again only at the word of a person', () => {
  const falling = steps.filter(({ from, to }) => rank(to) < rank(from));
  expect(falling).toEqual([]);
  expect(states.filter(({ run, again }) => again > run.context.retries)).toEqual([]);
});

test('steps never pass their cap, and every stage that begins uses up exactly one', () => {
  expect(states.filter(({ run: { context } }) => context.steps > context.stepsMax)).toEqual([]);
  const grown = steps.map(({ from, to }) => to.run.context.steps - from.run.context.steps);
  expect([...new Set(grown)].sort()).toEqual([0, 1]);
  const unpaid = steps.filter(({ from, to }) => isStage(to.run.value) && from.run.value !== to.run.value && to.run.context.steps === from.run.context.steps);
  expect(unpaid).toEqual([]);
});

test('resumes are bounded by steps', () => {
  expect(states.filter(({ run: { context } }) => context.retries > context.steps)).toEqual([]);
});

test('no stage begins over the budget, a pause or an abort', () => {
  expect(dispatching.filter(({ to: { run } }) => run.context.breach !== null || run.context.pause || run.context.abort !== null)).toEqual([]);
});

test('nothing leads out of a final state, and every other state leads to one', () => {
  const isOver = ({ run }: Walked): boolean => run.status === 'done';
  expect(steps.filter(({ from, to }) => isOver(from) && keyOf(from) !== keyOf(to))).toEqual([]);
  const ends = leadingTo(steps, keyOf, isOver);
  expect(states.filter((state) => !ends.has(keyOf(state)))).toEqual([]);
});

test('a person can lead every waiting state on, to a stage or to done, without aborting', () => {
  const isPersons = ({ event }: Step<Walked, RunEvent>): boolean => /^(person|budget|steps)/.test(event.type) && !/aborted|cancelled/.test(event.type);
  const leads = leadingTo(steps.filter(isPersons), keyOf, ({ run }) => isStage(run.value) || run.status === 'done');
  // At the walk's own cap nobody raises it any more.
  const held = states.filter((state) => isWaitingHere(state) && state.run.context.steps < stepsCap && !leads.has(keyOf(state)));
  expect(held).toEqual([]);
});

test('a person can abort every waiting state at once and cancel every state that is not over', () => {
  const open = states.filter(({ run }) => run.status === 'active');
  const after = (state: Walked, event: RunEvent): string => advance(state, event).run.value;
  expect(open.filter((state) => isWaitingHere(state) && after(state, { type: 'person.aborted', reason: 'enough' }) !== 'aborted')).toEqual([]);
  expect(open.filter((state) => after(state, { type: 'person.cancelled' }) !== 'cancelled')).toEqual([]);
});

test('only a person leads out of a waiting state', () => {
  const leaving = steps.filter(({ from, to }) => isWaitingHere(from) && from.run.value !== to.run.value);
  const types = new Set(leaving.map(({ event }) => event.type));
  // A new limit is a person's word, too.
  expect([...types].sort()).toEqual(['budget.checked', 'person.aborted', 'person.cancelled', 'person.resumed', 'steps.extended']);
});

test('done is reached only after review passed in this very run, and unverified without an oracle', () => {
  const done = steps.filter(({ from, to }) => from.run.status === 'active' && ['review_done', 'done_unverified'].includes(to.run.value));
  expect(done.filter(({ to }) => to.run.context.stage !== 'review' || to.run.context.reason !== null)).toEqual([]);
  expect(done.filter(({ to }) => (to.run.value === 'done_unverified') !== to.run.context.honor)).toEqual([]);
  const passing = steps.filter(({ from, to }) => from.run.context.next.kind !== 'done' && to.run.context.next.kind === 'done');
  expect([...new Set(passing.map(({ from, event }) => `${from.run.value} ${event.type}`))]).toEqual(['review stage.passed']);
});

test('a snapshot that went through JSON is the same snapshot', () => {
  for (const { run } of states) expect(throughJson(run)).toMatchObject({ ...save(run), status: run.status });
});

function eventsIn({ run }: Walked): RunEvent[] {
  const { steps: used, stepsMax } = run.context;
  const caps = [0, used, stepsMax + 1].filter((cap) => cap <= stepsCap);
  return [...facts, ...caps.map((cap) => ({ type: 'steps.extended', stepsMax: cap }) as const)];
}

function advance({ run, again }: Walked, event: RunEvent): Walked {
  const next = advanceRun(throughJson(run), event);
  const isAgain = next.context.steps > run.context.steps && next.context.stage === run.context.stage;
  return { run: next, again: again + (isAgain ? 1 : 0) };
}

function keyOf({ run: { value, context }, again }: Walked): string {
  const { reason, abort, next, ...rest } = context;
  return JSON.stringify([value, rest, abort !== null, next.kind, next.kind === 'stage' && next.stage, again]);
}

function throughJson(run: RunSnapshot): RunSnapshot {
  return restoreRun(JSON.parse(JSON.stringify(save(run))));
}

function rank({ run }: Walked): number {
  return run.context.stage === null ? -1 : stageIndex(run.context.stage);
}

function isWaitingHere({ run }: Walked): boolean {
  return run.status === 'active' && isWaiting(run.value as RunState);
}
