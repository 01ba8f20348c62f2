// Guarantees of the history file: the record formats of existing projects, derived from the ledger, growing only at its end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { historyRecordSchema, historyRecords, renderHistory } from '../../../activities/project/history-file.js';
import type { CheckResult } from '../../../machines/contract/check.js';
import type { Fact } from '../../../machines/contract/ledger.js';
import { stages } from '../../../machines/contract/stage.js';
import { attempt, captured, judged, numbered, over, settled, started, waiting } from '../ledger/entries.js';

const facts = { name: 'unit', durationMs: 1, tests: 3 };
const failed = (tail: string, exitCode = 1): CheckResult => ({ kind: 'failed', exitCode, tail, ...facts });
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
const recordsOf = (list: Fact[]) => historyRecords(numbered(list), 'npm test');
const rejection = (verdict: Fact) => recordsOf([started, attempt('implement', 1), verdict])[1];

test('a run with two rejections has one record a round, in the format of existing projects', () => {
  const list = [
    started,
    attempt('tdd', 1, 'timed_out'),
    attempt('tdd', 2),
    judged('tdd', 2, { kind: 'pass' }),
    settled('tdd', true),
    attempt('implement', 1),
    judged('implement', 1, { kind: 'reject', checks: [failed('a\nb\n3 tests failed\n')] }),
    attempt('implement', 2),
    judged('implement', 2, { kind: 'pass' }),
    settled('implement', true),
    judged('review', 0, { kind: 'reject', gate: 'evaluate', reason: 'unsafe' }),
    attempt('review', 1),
    judged('review', 1, { kind: 'pass', gate: 'evaluate' }),
    settled('review', true),
    over('review_done'),
  ];
  expect(renderHistory(recordsOf(list)).split('\n')).toEqual([
    `{"iteration":0,"status":"init","verify_command":"npm test","timestamp":"${at(0)}"}`,
    `{"iteration":1,"status":"continue","timestamp":"${at(1)}"}`,
    `{"iteration":2,"status":"continue","timestamp":"${at(3)}"}`,
    `{"iteration":3,"status":"promise_rejected","verify_exit":1,"rejections":1,"verify_tail":"a b 3 tests failed","timestamp":"${at(6)}"}`,
    `{"iteration":4,"status":"continue","timestamp":"${at(8)}"}`,
    `{"iteration":5,"status":"promise_rejected","verify_exit":null,"rejections":2,"verify_tail":"unsafe","timestamp":"${at(10)}"}`,
    `{"iteration":6,"status":"complete","promise_rejections":2,"timestamp":"${at(13)}"}`,
    '',
  ]);
});

test('an accepted review is complete only once its stage is settled', () => {
  const list = [started, judged('review', 0, { kind: 'pass' })];
  expect(recordsOf(list).map(({ status }) => status)).toEqual(['init']);
  expect(recordsOf([...list, settled('review', false)]).map(({ status }) => status)).toEqual(['init', 'continue']);
  expect(recordsOf([...list, settled('review', true)]).map(({ status }) => status)).toEqual(['init', 'complete']);
});

test('what happened to an attempt is no round, and no verdict is no record yet', () => {
  expect(recordsOf([started, attempt('tdd', 1, 'lost'), attempt('tdd', 1, 'limited'), attempt('tdd', 1)]).map(({ status }) => status)).toEqual(['init']);
});

test('a judgement without a verdict leaves the round open for the next one', () => {
  const list = [
    started,
    attempt('implement', 1),
    judged('implement', 1, { kind: 'unknown' }),
    waiting('env_broken'),
    judged('implement', 1, { kind: 'choice' }),
    judged('implement', 1, { kind: 'reject' }),
  ];
  expect(recordsOf(list).map(({ iteration, status }) => [iteration, status])).toEqual([
    [0, 'init'],
    [1, 'pause'],
    [1, 'promise_rejected'],
  ]);
});

test.each([
  [waiting('blocked', 'a\n"b"'), { status: 'pause', reason: 'a "b"' }],
  [waiting('limited'), { status: 'pause', reason: 'why' }],
  [waiting('capped'), { status: 'max_reached' }],
  [over('expired', 'deadline'), { status: 'max_reached' }],
  [over('aborted', 'impossible'), { status: 'abort', reason: 'impossible' }],
  [over('cancelled'), { status: 'abort', reason: 'cancelled' }],
  [captured('tdd', 1, true), { status: 'state_tamper' }],
])('%o becomes a record of its own', (fact, record) => {
  expect(recordsOf([started, fact]).at(-1)).toEqual({ iteration: 0, timestamp: at(1), ...record });
});

test.each<[string, Fact, number | null]>([
  ['exit code', judged('implement', 1, { kind: 'reject', checks: [failed('', 3)] }), 3],
  ['program not found', judged('implement', 1, { kind: 'reject', checks: [{ kind: 'not_run', exitCode: 127, tail: '', ...facts }] }), 127],
  ['signal', judged('implement', 1, { kind: 'reject', checks: [{ kind: 'signalled', signal: 9, tail: '', ...facts }] }), 137],
  ['time limit', judged('implement', 1, { kind: 'reject', checks: [{ kind: 'timed_out', tail: '', ...facts }] }), 124],
  ['too much output', judged('implement', 1, { kind: 'reject', checks: [{ kind: 'flooded', tail: '', ...facts }] }), null],
  ['tests that are green but must be red', judged('tdd', 1, { kind: 'reject', checks: [{ kind: 'passed', tail: '', ...facts }] }), 0],
  ['a failed setup behind a red unit', judged('tdd', 1, { kind: 'reject', checks: [failed('')] }), null],
  ['a failed setup behind a green check', judged('implement', 1, { kind: 'reject', checks: [{ kind: 'passed', tail: '', ...facts }] }), null],
  ['another gate', judged('implement', 1, { kind: 'reject', gate: 'admit' }), null],
  ['tampering', judged('implement', 1, { kind: 'tampered', gate: 'integrity' }), null],
])('the exit code of a rejection is that of the check that refused: %s', (_, verdict, exit) => {
  expect(rejection(verdict)).toMatchObject({ status: 'promise_rejected', verify_exit: exit, rejections: 1 });
});

test('the tail is the last five lines, 200 characters and one line at most, without control bytes', () => {
  const tailOf = (tail: string): unknown =>
    Object.entries(rejection(judged('implement', 1, { kind: 'reject', checks: [failed(tail)] })) ?? {}).find(([key]) => key === 'verify_tail')?.[1];
  expect(tailOf('1\n2\r\n\n3\n4\n5\n6\n\n')).toBe('2 3 4 5 6');
  expect(tailOf('\u001b[31mred\u001b[0m "quoted"\tand\u0000\u0007 \uD800 half')).toBe('red "quoted" and \uFFFD half');
  expect(tailOf(`${'x'.repeat(500)}end`)).toBe(`${'x'.repeat(197)}end`);
  expect(tailOf(`${'🎉'.repeat(150)}x`)).toBe(`${'🎉'.repeat(99)}x`);
  expect(tailOf(' \n')).toBe('no');
});

test('a longer ledger gives the same bytes and more behind them, and every record has exactly its keys', () => {
  const stage = fc.constantFrom(...stages);
  const kinds = fc.constantFrom('finished' as const, 'timed_out' as const, 'lost' as const, 'limited' as const);
  const verdicts = fc.constantFrom('pass' as const, 'reject' as const, 'tampered' as const, 'choice' as const, 'unknown' as const);
  const fact: fc.Arbitrary<Fact> = fc.oneof(
    fc.tuple(stage, fc.nat(2), kinds).map(([s, n, kind]) => attempt(s, n, kind)),
    fc.tuple(stage, fc.nat(2), fc.boolean()).map(([s, n, tamper]) => captured(s, n, tamper)),
    fc
      .tuple(stage, fc.nat(2), verdicts, fc.string({ unit: 'binary' }))
      .map(([s, n, kind, tail]) => judged(s, n, { kind, checks: [failed(tail)], reason: tail })),
    fc.tuple(stage, fc.boolean()).map(([s, ok]) => settled(s, ok)),
    fc.constantFrom(waiting('blocked'), waiting('capped'), over('aborted'), over('expired'), over('review_done')),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 15 }), fc.nat(15), (list, length) => {
      const all = numbered([started, ...list]);
      const whole = renderHistory(historyRecords(all, 'npm test'));
      expect(whole.startsWith(renderHistory(historyRecords(all.slice(0, length), 'npm test')))).toBe(true);
      const lines = whole
        .trimEnd()
        .split('\n')
        .map((line) => historyRecordSchema.parse(JSON.parse(line)));
      const rounds = lines.filter(({ status }) => ['continue', 'promise_rejected', 'complete'].includes(status)).map(({ iteration }) => iteration);
      expect(rounds).toEqual(rounds.map((_, index) => index + 1));
    }),
    { numRuns: 300 },
  );
});
