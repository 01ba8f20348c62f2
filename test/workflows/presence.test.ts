// Guarantees of the details in Temporal's UI: a person reads state, reason, spend and every step there, and no text of a check breaks the table.
import { describe, expect, test } from 'vitest';
import { emptyReport, type Report, type StepReport } from '../../machines/contract/report.js';
import { isWaiting, runStates } from '../../machines/contract/run-state.js';
import { detailsOf } from '../../workflows/presence.js';

const step: StepReport = {
  ...{ step: 1, stage: 'tdd', ok: true, attempts: 1, checks: { unit: 'unit failed (exit 1)', lint: 'lint passed' }, reason: null, commit: 'abcdef0123456789' },
  ...{ durationMs: 1, usage: { usd: 0, tokens: null } },
};
const report: Report = { ...emptyReport, featureId: 'F1', branch: 'pdlc/F1', head: 'fedcba9876543210', stepsUsed: 1, maxSteps: 4, steps: [step] };

/** The cells of the table's rows below its head, split as Markdown does. */
function cellsOf(markdown: string): string[][] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| step'));
  return rows.map((row) => [...row.matchAll(/(?<=\|)((?:\\.|[^\\|])*)(?=\|)/g)].map(([, cell = '']) => cell.trim()));
}

test('one row tells a step: result, attempts, checks, commit, and why it stopped', () => {
  const stopped: StepReport = { ...step, step: 2, stage: 'implement', ok: false, attempts: 2, checks: {}, commit: null, reason: 'unit failed' };
  const open: StepReport = { ...step, step: 3, stage: 'review', ok: null, checks: {} };
  expect(cellsOf(detailsOf({ ...report, steps: [step, stopped, open] }, 'working'))).toEqual([
    ['1', 'tdd', 'passed', '1', 'unit failed (exit 1); lint passed', 'abcdef0123', ''],
    ['2', 'implement', 'stopped', '2', '', '', 'unit failed'],
    ['3', 'review', 'under way', '1', '', 'abcdef0123', ''],
  ]);
});

test('there is no table before the first step', () => {
  expect(detailsOf({ ...report, steps: [] }, 'preparing')).not.toContain('|---');
});

test.each(runStates)('%s comes first; where the run waits the way on is said', (state) => {
  const text = detailsOf({ ...report, reason: 'why' }, state);
  expect(text.startsWith(`**${state}**: why`)).toBe(true);
  expect(text.includes('pdlc status F1')).toBe(isWaiting(state));
  expect(text.includes('<<<PDLC done stage=review>>>')).toBe(state === 'review_done');
});

describe('money', () => {
  test('that is known is a sum, that is not known in full says so', () => {
    const usage = { ...emptyReport.usage, usd: 1.5, usdKnown: 1.5 };
    expect(detailsOf({ ...report, usage }, 'working')).toContain('USD 1.50 of 20');
    expect(detailsOf({ ...report, usage: { ...usage, usd: null } }, 'working')).toMatch(/USD 1\.50 .*unknown.* of 20/);
  });
});

test('no text breaks a row or a line', () => {
  const hostile = 'a | b \\| c \\\\| d\n| x | y |\r\n**z**';
  const cells = cellsOf(detailsOf({ ...report, reason: hostile, steps: [{ ...step, reason: hostile, checks: { unit: hostile } }] }, 'blocked'));
  expect(cells).toHaveLength(1);
  expect(cells[0]).toHaveLength(7);
});

test('a long reason is cut', () => {
  expect(detailsOf({ ...report, reason: 'x'.repeat(10_000), steps: [{ ...step, reason: '|'.repeat(10_000) }] }, 'blocked').length).toBeLessThan(1_500);
});
