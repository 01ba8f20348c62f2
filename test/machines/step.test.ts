// Guarantees of stepping: pure, without effects, and the same before and after a trip through JSON.

import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { runMachine } from '../../machines/run.js';
import { stageMachine } from '../../machines/stage.js';
import { advanceRun, advanceStage, beginRun, beginStage, restoreRun, restoreStage, save } from '../../machines/step.js';

const runInput = { stage: 'tdd', entry: 'work', stepsMax: 4, honor: false } as const;
const stageInput = { stage: 'tdd', entry: 'work', attemptsMax: 2 } as const;

test('the machines ask for no effects, at their beginning or later', () => {
  const [run, runEffects] = initialTransition(runMachine, runInput);
  const [stage, stageEffects] = initialTransition(stageMachine, stageInput);
  expect([runEffects, stageEffects]).toEqual([[], []]);
  expect(transition(runMachine, run, { type: 'stage.passed', moved: true, nextStep: 'pdlc-implement' })[1]).toEqual([]);
  expect(transition(stageMachine, stage, { type: 'ground.proved' })[1]).toEqual([]);
});

test('a step leaves the snapshot that it came from as it was', () => {
  const run = beginRun(runInput);
  const before = JSON.stringify(save(run));
  expect(advanceRun(run, { type: 'person.cancelled' }).value).toBe('cancelled');
  expect(JSON.stringify(save(run))).toBe(before);
});

test('what is saved is plain JSON of the state and its memory', () => {
  for (const saved of [save(beginRun(runInput)), save(beginStage(stageInput))]) {
    expect(Object.keys(saved)).toEqual(['value', 'context']);
    expect(JSON.parse(JSON.stringify(saved))).toEqual(saved);
  }
});

test('a restored snapshot goes on, and a restored end is over', () => {
  const stage = restoreStage(JSON.parse(JSON.stringify(save(beginStage(stageInput)))));
  expect(advanceStage(stage, { type: 'ground.proved' }).value).toBe('working');
  const ended = restoreRun(JSON.parse(JSON.stringify(save(advanceRun(beginRun(runInput), { type: 'person.cancelled' })))));
  expect([ended.status, advanceRun(ended, { type: 'person.resumed' }).value]).toEqual(['done', 'cancelled']);
});

test('an event that a state does not know changes nothing', () => {
  const stage = beginStage(stageInput);
  expect(save(advanceStage(stage, { type: 'timer.fired' }))).toEqual(save(stage));
});
