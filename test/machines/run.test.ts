// Guarantees of a run as a person would tell them: order between stages, the spare step, and what a resume leads to.
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../machines/contract/stage.js';
import type { RunEvent, RunMachineInput } from '../../machines/run.js';
import { advanceRun, beginRun, type RunSnapshot } from '../../machines/step.js';

const fresh: RunMachineInput = { stage: 'tdd', entry: 'work', stepsMax: 4, honor: false };

const passed = (nextStep: string | null, moved = true): RunEvent => ({ type: 'stage.passed', moved, nextStep });
const tdd = passed('pdlc-implement');
const implement = passed('pdlc-review');
const review = passed('pdlc-ship');
const blocked: RunEvent = { type: 'stage.blocked', reason: 'unit failed' };
const stuck: RunEvent = { type: 'stage.stuck', reason: 'nothing changed' };
const tampered: RunEvent = { type: 'stage.tampered', reason: 'a sealed test changed' };
const pause: RunEvent = { type: 'person.paused' };
const resume: RunEvent = { type: 'person.resumed' };
const abort: RunEvent = { type: 'person.aborted', reason: 'enough' };
const cancel: RunEvent = { type: 'person.cancelled' };
const deadline: RunEvent = { type: 'deadline.passed' };
const breach: RunEvent = { type: 'budget.checked', breach: 'too dear' };
const paid: RunEvent = { type: 'budget.checked', breach: null };
const cap = (stepsMax: number): RunEvent => ({ type: 'steps.extended', stepsMax });

test.each<[Stage, RunEvent[], number]>([
  ['tdd', [tdd, implement, review], 3],
  ['implement', [implement, review], 2],
  ['review', [review], 1],
])('a run that starts at %s takes only the stages from there, and is done', (stage, events, steps) => {
  const run = told({ ...fresh, stage }, events);
  expect([run.value, run.context.steps, run.context.reason]).toEqual(['review_done', steps, null]);
});

test('done in exactly as many steps as are allowed is done, not capped', () => {
  expect(told({ ...fresh, stepsMax: 3 }, [tdd, implement, review]).value).toBe('review_done');
  expect(told({ ...fresh, stepsMax: 2 }, [tdd, implement]).value).toBe('capped');
});

test('with no step allowed nothing begins', () => {
  const run = told({ ...fresh, stepsMax: 0 }, []);
  expect([run.value, run.context.steps]).toEqual(['capped', 0]);
});

test('without an oracle a run can only end unverified', () => {
  expect(told({ ...fresh, honor: true }, [tdd, implement, review]).value).toBe('done_unverified');
});

test.each<[string, string, RunEvent]>([
  ['the next stage', 'implement', tdd],
  ['a later stage', 'review', implement],
  ['its own stage', 'blocked', passed('pdlc-tdd')],
  ['a stage outside the three', 'blocked', passed('pdlc-design')],
  ['an end before review', 'blocked', review],
  ['nothing', 'blocked', passed(null)],
  ['the next stage without having moved', 'stuck', passed('pdlc-implement', false)],
])('after tdd, a state file that names %s leads to %s', (_name, state, event) => {
  expect(told(fresh, [event])).toMatchObject({ value: state, context: { entry: 'work' } });
});

test('a state file that names an earlier stage blocks the run', () => {
  const run = told(fresh, [tdd, passed('pdlc-tdd')]);
  expect([run.value, run.context.reason]).toEqual(['blocked', 'implement passed, but the state file names tdd next; a run only goes forward']);
});

describe('of two things that are true at once', () => {
  test.each<[string, RunEvent[], string]>([
    ['a cancel wins over an abort and a pause', [abort, pause, cancel], 'cancelled'],
    ['an abort wins over a pause', [pause, abort, tdd], 'aborted'],
    ['an abort wins over a pass', [abort, tdd], 'aborted'],
    ['an abort wins over a block', [abort, blocked], 'aborted'],
    ['an abort wins over being stuck', [abort, stuck], 'aborted'],
    ['an abort wins over tampering', [abort, tampered], 'aborted'],
    ['an abort wins over a state file that did not move', [abort, passed('pdlc-implement', false)], 'aborted'],
    ['an abort wins over the deadline', [abort, deadline], 'aborted'],
    ['a pause wins over done', [tdd, implement, pause, review], 'paused'],
    ['a pause wins over the cap', [cap(1), pause, tdd], 'paused'],
    ['done wins over a breached budget', [tdd, implement, breach, review], 'review_done'],
    ['a blocked state file wins over a breached budget', [breach, passed('pdlc-design')], 'blocked'],
    ['a breached budget wins over the next stage', [breach, tdd], 'paused'],
  ])('%s', (_name, events, state) => {
    expect(told(fresh, events).value).toBe(state);
  });
});

describe('a resume', () => {
  test.each<[string, RunEvent]>([
    ['blocked', blocked],
    ['stuck', stuck],
    ['integrity', tampered],
  ])('of %s enters the same stage again, judges first, and spends a step', (state, event) => {
    expect(told(fresh, [tdd, event])).toMatchObject({ value: state, context: { reason: expect.stringMatching(/./) } });
    const { value, context } = told(fresh, [tdd, event, resume]);
    expect([value, context.entry, context.steps, context.retries]).toEqual(['implement', 'judge', 3, 1]);
  });

  test('spends the spare step once: a second block is blocked, and its resume is capped until the cap is raised', () => {
    const second = [tdd, blocked, resume, implement, blocked];
    expect(told(fresh, second).value).toBe('blocked');
    const capped = told(fresh, [...second, resume]);
    expect([capped.value, capped.context.steps, capped.context.reason]).toEqual(['capped', 4, 'all 4 steps are used']);
    const raised = told(fresh, [...second, resume, cap(5)]);
    expect([raised.value, raised.context.entry]).toEqual(['review', 'judge']);
  });

  test('of a block that spent the spare step ends in done after four steps', () => {
    const run = told(fresh, [tdd, blocked, resume, implement, review]);
    expect([run.value, run.context.steps]).toEqual(['review_done', 4]);
  });

  test('never turns a stage that passed without review into done', () => {
    expect(told(fresh, [passed(null, false), resume]).value).toBe('tdd');
    expect(told(fresh, [passed('pdlc-ship'), resume]).value).toBe('tdd');
  });

  test('goes on with the successor where the file names it', () => {
    expect(told(fresh, [passed('pdlc-implement', false), resume]).value).toBe('implement');
  });

  test('drops a pause that was asked for before the stop', () => {
    expect(told(fresh, [pause, blocked, resume]).value).toBe('tdd');
  });

  test('of a breached budget stays paused until there is a new limit', () => {
    expect(told(fresh, [breach, tdd, resume]).value).toBe('paused');
    expect(told(fresh, [breach, tdd, paid]).value).toBe('implement');
    expect(told(fresh, [breach, tdd, pause, paid]).context.reason).toBe('paused by a person');
  });

  test('of a pause before the end is done, with nothing said against it', () => {
    const run = told(fresh, [tdd, implement, pause, review, resume]);
    expect([run.value, run.context.reason]).toEqual(['review_done', null]);
  });
});

test('a cap below what is used changes nothing', () => {
  expect(told(fresh, [tdd, cap(1)]).context.stepsMax).toBe(4);
  expect(told(fresh, [tdd, cap(2)]).context.stepsMax).toBe(2);
});

test('an end says why', () => {
  expect(told(fresh, [deadline])).toMatchObject({ value: 'expired', context: { reason: 'the deadline of the run has passed' } });
  expect(told(fresh, [cancel])).toMatchObject({ value: 'cancelled', context: { reason: 'cancelled by a person' } });
  expect(told(fresh, [abort, blocked])).toMatchObject({ value: 'aborted', context: { reason: 'enough' } });
  expect(told(fresh, [blocked, abort])).toMatchObject({ value: 'aborted', context: { reason: 'enough' } });
});

function told(input: RunMachineInput, events: RunEvent[]): RunSnapshot {
  return events.reduce(advanceRun, beginRun(input));
}
