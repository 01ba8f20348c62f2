// Guarantees of the state file: the next mapping of existing projects, what is written after a stage, and that nothing odd is ever a stage or done.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../machines/contract/check.js';
import { stages } from '../../../machines/contract/stage.js';
import {
  checkFacts,
  type FeatureState,
  featureStateSchema,
  historyFilePath,
  nextOf,
  nextOfStep,
  nextToken,
  parseState,
  type StageRecord,
  stateAfter,
  stateFilePath,
  stateUnblocked,
} from '../../../machines/contract/state-file.js';

const at = '2026-11-30T10:15:00.000Z';
const full: FeatureState = {
  feature_id: 'F20261130-101500',
  feature_name: 'double',
  created_at: at,
  current_stage: 'design',
  run_mode: 'interactive',
  history: [
    {
      stage: 'design',
      done_at: at,
      produced: ['docs/d.md'],
      self_audit: { passed: 1, failed: 0, manual: 0 },
      auto_decisions: [{ point: 'a', chose: 'b', at }],
    },
  ],
  last_phase_result: { stage: 'design', ok: true, advanced_to: 'tdd', checks: {}, self_audit: { failed: 0 }, blocked_reason: null, run_mode: 'autonomous', at },
  relations: { extends: [], depends_on: ['F1'], supersedes: [], resolves: [], conflicts_with: [], relates_to: [], _updated_at: null },
  next_step: 'pdlc-tdd',
};
const last = full.last_phase_result;
const record: StageRecord = { stage: 'tdd', ok: true, reason: null, checks: { red_verified: true }, produced: ['test/double.test.js'], at };
const tokenOf = (state: object): string => nextToken(nextOf(parseState(JSON.stringify({ ...full, ...state }))));

describe('the next mapping', () => {
  test.each<[string, object, string]>([
    ['tdd', { next_step: 'pdlc-tdd' }, 'pdlc-tdd'],
    ['implement', { next_step: 'pdlc-implement' }, 'pdlc-implement'],
    ['review', { next_step: 'pdlc-review' }, 'pdlc-review'],
    ['ship as done', { next_step: 'pdlc-ship' }, 'done'],
    ['deploy as done', { next_step: 'pdlc-deploy' }, 'done'],
    ['null as done', { next_step: null }, 'done'],
    ['no next step as done', { next_step: undefined }, 'done'],
    ['prd as blocked', { next_step: 'pdlc-prd' }, 'blocked'],
    ['design as blocked', { next_step: 'pdlc-design' }, 'blocked'],
    ['a stage without its prefix as blocked', { next_step: 'tdd' }, 'blocked'],
    ['the old spelling as blocked', { next_step: 'pdlc-impl' }, 'blocked'],
    ['an empty step as blocked', { next_step: '' }, 'blocked'],
    ['a longer word as blocked', { next_step: 'pdlc-tdd-extra' }, 'blocked'],
    ['a feature that is done', { current_stage: 'feature_done', next_step: 'pdlc-tdd' }, 'done'],
    ['a fix that is done', { current_stage: 'fix_done', next_step: 'pdlc-design' }, 'done'],
    ['a block before done', { blocked_reason: 'wait', current_stage: 'feature_done' }, 'blocked'],
    ['a block before a stage', { blocked_reason: 'wait', next_step: 'pdlc-tdd' }, 'blocked'],
    ['a block of the last phase', { last_phase_result: { ...last, ok: false, blocked_reason: 'unit failed' } }, 'blocked'],
    ['an empty block as none', { blocked_reason: '', last_phase_result: { ...last, blocked_reason: '' } }, 'pdlc-tdd'],
    ['the current stage as no choice', { current_stage: 'tdd', next_step: 'pdlc-tdd' }, 'pdlc-tdd'],
    ['the old spelling of the current stage', { current_stage: 'impl', next_step: 'pdlc-review' }, 'pdlc-review'],
  ])('reads %s', (_name, state, token) => {
    expect(tokenOf(state)).toBe(token);
  });

  test('a block tells its reason, an odd step tells itself', () => {
    expect(nextOf({ ok: true, state: { ...full, blocked_reason: 'wait for legal' } })).toEqual({ kind: 'blocked', reason: 'wait for legal' });
    expect(nextOfStep('pdlc-prd')).toEqual({ kind: 'blocked', reason: 'next_step "pdlc-prd" is outside tdd, implement and review' });
  });

  test('is one bare token for any step', () => {
    const steps = fc.option(fc.oneof(fc.string(), fc.constantFrom('pdlc-tdd', 'pdlc-ship', ' pdlc-tdd', 'PDLC-TDD', '__proto__')));
    const tokens = ['pdlc-tdd', 'pdlc-implement', 'pdlc-review', 'done', 'blocked'];
    fc.assert(fc.property(steps, (step) => tokens.includes(nextToken(nextOfStep(step)))));
  });
});

describe('parsing', () => {
  test('takes what existing projects write, and nothing is lost', () => {
    expect(parseState(JSON.stringify(full, null, 2))).toEqual({ ok: true, state: full });
    expect(parseState('{"feature_id":"F1","current_stage":"tdd"}').ok).toBe(true);
  });

  test.each([
    ['nothing', '', 'an empty file'],
    ['blanks', ' \n\t', 'an empty file'],
    ['a byte-order mark', `\uFEFF${JSON.stringify(full)}`, 'byte-order mark'],
    ['half a file', JSON.stringify(full).slice(0, 100), 'not JSON'],
    ['two objects', '{}{}', 'not JSON'],
    ['conflict marks', '<<<<<<< HEAD\n{}', 'not JSON'],
    ['a list', '[]', 'an array'],
    ['null', 'null', 'null'],
    ['a word', '"pdlc-tdd"', 'a string'],
    ['a number', '1', 'a number'],
    ['no id', '{"current_stage":"tdd"}', 'feature_id'],
    ['no current stage', '{"feature_id":"F1"}', 'current_stage'],
    ['a stage that is no text', '{"feature_id":"F1","current_stage":1}', 'current_stage'],
    ['a next step that is no text', '{"feature_id":"F1","current_stage":"tdd","next_step":["pdlc-tdd"]}', 'next_step'],
    ['an unknown field', '{"feature_id":"F1","current_stage":"tdd","nextStep":"pdlc-tdd"}', 'unknown field "nextStep" in the object'],
    ['a result whose ok is a word', JSON.stringify({ ...full, last_phase_result: { ...last, ok: 'true' } }), 'last_phase_result.ok'],
    ['checks that are words', JSON.stringify({ ...full, last_phase_result: { ...last, checks: { tests_pass: 'yes' } } }), 'checks.tests_pass'],
  ])('of %s says what was found, and blocks', (_name, text, found) => {
    const reading = parseState(text);
    expect(reading).toMatchObject({ ok: false, found: expect.stringContaining(found) });
    expect(nextToken(nextOf(reading))).toBe('blocked');
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => typeof parseState(text).ok === 'boolean'));
  });
});

describe('after a stage', () => {
  test.each([
    ['tdd', 'pdlc-implement', 'implement'],
    ['implement', 'pdlc-review', 'review'],
    ['review', 'pdlc-ship', 'ship'],
  ] as const)('%s that passed, the state names %s next', (stage, next, advanced) => {
    const state = stateAfter(full, { ...record, stage });
    expect([state.current_stage, state.next_step, state.last_phase_result?.advanced_to]).toEqual([stage, next, advanced]);
    expect(state.history).toEqual([...(full.history ?? []), { stage, done_at: at, produced: record.produced }]);
  });

  test('that passed, the checks are exactly the facts, and what a person wrote stays', () => {
    const state = stateAfter(full, record);
    expect(state.last_phase_result).toEqual({ ...last, stage: 'tdd', advanced_to: 'implement', checks: { red_verified: true } });
    expect([state.relations, state.feature_name, state.created_at]).toEqual([full.relations, full.feature_name, full.created_at]);
  });

  test('that stopped, the state stays where it was and is blocked with the reason', () => {
    const state = stateAfter(full, { ...record, ok: false, reason: 'unit failed' });
    expect([state.current_stage, state.next_step, state.history]).toEqual(['design', 'pdlc-tdd', full.history]);
    expect(state.last_phase_result).toMatchObject({ ok: false, advanced_to: null, blocked_reason: 'unit failed' });
    expect(nextOf({ ok: true, state })).toEqual({ kind: 'blocked', reason: 'unit failed' });
  });

  test('that stopped without a reason, the state is blocked all the same', () => {
    expect(nextToken(nextOf({ ok: true, state: stateAfter(full, { ...record, ok: false, reason: null }) }))).toBe('blocked');
  });

  test('the state is in the format, leads to the next stage, and lifts a block when a person resumes', () => {
    for (const stage of stages) {
      const passed = stateAfter(full, { ...record, stage });
      expect(featureStateSchema.parse(JSON.parse(JSON.stringify(passed)))).toEqual(passed);
      const stopped = stateAfter({ ...full, blocked_reason: 'wait' }, { ...record, stage, ok: false, reason: 'unit failed' });
      expect(nextToken(nextOf({ ok: true, state: stateUnblocked(stopped) }))).toBe('pdlc-tdd');
    }
  });

  test('without a block, lifting it changes nothing', () => {
    expect(stateUnblocked(full)).toEqual(full);
    expect(stateUnblocked({ feature_id: 'F1', current_stage: 'tdd' })).toEqual({ feature_id: 'F1', current_stage: 'tdd' });
  });
});

describe('check facts', () => {
  const facts = { durationMs: 1, tail: '', tests: 3 };
  const passed = (name: string): CheckResult => ({ kind: 'passed', name, ...facts });
  const failed = (name: string, tests: number | null = 3): CheckResult => ({ kind: 'failed', exitCode: 1, name, ...facts, tests });
  const others: CheckResult[] = [
    { kind: 'not_run', exitCode: 127, name: 'unit', ...facts },
    { kind: 'signalled', signal: 9, name: 'unit', ...facts },
    { kind: 'timed_out', name: 'unit', ...facts },
    { kind: 'flooded', name: 'unit', ...facts },
  ];

  test('carry the names of existing projects', () => {
    const results = [passed('unit'), failed('coverage'), passed('lint'), failed('e2e')];
    expect(checkFacts('implement', results)).toEqual({ tests_pass: true, coverage_pass: false, lint_clean: true, e2e_pass: false });
  });

  test('of tdd call a failing unit verified red, and nothing else', () => {
    expect(checkFacts('tdd', [failed('unit'), passed('lint')])).toEqual({ red_verified: true, lint_clean: true });
    for (const result of [passed('unit'), failed('unit', 0), ...others]) expect(checkFacts('tdd', [result])).toEqual({ red_verified: false });
  });

  test('never say pass for a check that did not run to a pass', () => {
    for (const result of [failed('unit'), ...others]) expect(checkFacts('implement', [result])).toEqual({ tests_pass: false });
  });

  test('leave out second runs, and are empty when nothing ran', () => {
    expect(checkFacts('tdd', [failed('unit'), passed('unit without new tests')])).toEqual({ red_verified: true });
    expect(checkFacts('review', [])).toEqual({});
  });
});

test('paths lie in the state folder', () => {
  expect([stateFilePath('F1'), historyFilePath('F1')]).toEqual(['docs/.pdlc-state/F1.json', 'docs/.pdlc-state/F1.history.jsonl']);
});
