// Guarantees of a workflow's memory: it is JSON and goes on unchanged, facts are numbered without gaps, and the state a person sees is the stage's own.
import { describe, expect, test } from 'vitest';
import { advanceStage } from '../../machines/step.js';
import { carry, dispatchedStage, placeOf, record, restoreLive, stateOf } from '../../workflows/live.js';
import { outcomes } from '../machines/facts.js';
import { begun, input, inStage } from './live-run.js';

const proved = { type: 'ground.proved' } as const;

test('what continue-as-new carries is JSON and goes on where it was', () => {
  const live = inStage(proved, { type: 'agent.ended', outcome: outcomes.lost, changed: false });
  live.notes = ['mind'];
  const restored = restoreLive(input, JSON.parse(JSON.stringify(carry(live))));
  expect([stateOf(restored), restored.notes, restored.report, restored.stage?.context]).toEqual([stateOf(live), ['mind'], live.report, live.stage?.context]);
  const event = { type: 'agent.ended', outcome: outcomes.finished, changed: true } as const;
  const next = [restored, live].map(({ stage }) => stage && advanceStage(stage, event).value);
  expect(next).toEqual(['judging', 'judging']);
  expect(JSON.parse(JSON.stringify(carry(restored)))).toEqual(JSON.parse(JSON.stringify(carry(live))));
});

test('facts are numbered from 1 without a gap, are in the report at once and wait for the ledger', () => {
  const live = begun();
  record(live, { kind: 'stage.dispatched', stage: 'tdd', step: 1, entry: 'work' });
  expect(live.pending.map(({ seq, kind }) => [seq, kind])).toEqual([
    [1, 'run.started'],
    [2, 'stage.dispatched'],
  ]);
  expect([live.report.seq, live.report.stage, live.report.stepsUsed]).toEqual([2, 'tdd', 1]);
});

describe('the state that a person sees', () => {
  test('is the stage’s own while it is under way, deciding between stages', () => {
    expect([stateOf(begun()), dispatchedStage(begun())]).toEqual(['deciding', 'tdd']);
    expect([stateOf(inStage()), stateOf(inStage(proved))]).toEqual(['preparing', 'working']);
  });
});

test('an attempt under way is the next one, what is judged is the last, and a start that was not charged has a mark of its own', () => {
  const live = inStage(proved, { type: 'agent.ended', outcome: outcomes.lost, changed: false });
  const [work] = [{ step: 3, candidate: null, seal: '', card: null, rejection: null, tampered: [], ended: null, startedAt: 0, checks: {} }];
  live.work = work ?? null;
  expect(placeOf(live, 'next')).toEqual({ stage: 'tdd', step: 3, attempt: 1, tries: 1 });
  expect(placeOf(live, 'last')).toEqual({ stage: 'tdd', step: 3, attempt: 0, tries: 1 });
  expect(() => placeOf(begun(), 'next')).toThrow('no stage is under way');
});
