// What scripts read: the sentinel, the exit code and the ways out of every state.
import { expect, test } from 'vitest';
import { nextCommands, runJson, sentinelOf } from '../../cli/run-json.js';
import { emptyReport } from '../../machines/contract/report.js';
import { finalStates, movingStates, waitingStates } from '../../machines/contract/run-state.js';
import { doneSentinel } from '../../machines/contract/sentinel.js';

const nothing = { uiUrl: null, inTheWay: null };
const report = { ...emptyReport, workflowId: 'pdlc/p/F1', featureId: 'F1', branch: 'pdlc/F1' };

test('only review_done has the done sentinel', () => {
  expect(sentinelOf({ state: 'review_done', reason: null })).toBe(doneSentinel);
  for (const state of [...waitingStates, ...finalStates].filter((name) => name !== 'review_done')) {
    expect(sentinelOf({ state, reason: 'why' })).toMatch(/^<<<PDLC blocked reason="[^"]*why">>>$/);
  }
});

test('a state other than blocked is named in its sentinel once', () => {
  expect(sentinelOf({ state: 'capped', reason: 'all 4 steps are used' })).toBe('<<<PDLC blocked reason="capped: all 4 steps are used">>>');
  expect(sentinelOf({ state: 'blocked', reason: 'unit failed' })).toBe('<<<PDLC blocked reason="unit failed">>>');
});

test('a moving run has no sentinel and the exit code of one that was left', () => {
  for (const state of movingStates) expect(runJson({ ...report, state }, nothing)).toMatchObject({ sentinel: null, exitCode: 130 });
});

test('every state names a command that a person may run', () => {
  for (const state of [...movingStates, ...waitingStates, ...finalStates]) expect(nextCommands({ ...report, state }).length).toBeGreaterThan(0);
});

test('an untracked state file is taken out of the way of the merge', () => {
  expect(nextCommands({ ...report, state: 'review_done' }, { inTheWay: 'docs/.pdlc-state/F1.json' })).toEqual([
    'rm docs/.pdlc-state/F1.json && git merge pdlc/F1',
  ]);
});

test('a kept tree with an odd path is quoted for a shell', () => {
  expect(nextCommands({ ...report, state: 'blocked', tree: "/some where/o'clock" })[0]).toBe(`cd '/some where/o'\\''clock'`);
});

test('the object has no field that is only for the engine', () => {
  expect(Object.keys(runJson(report, nothing))).not.toContain('spend');
});
