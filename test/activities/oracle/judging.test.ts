// Guarantees of verdicts: each names its gate and carries what was seen, and the text for a repairing agent is bounded at its end.
import { expect, test } from 'vitest';
import { choice, none, pass, reject, rejectCheck, tampered, unknown, withCheck } from '../../../activities/oracle/judging.js';
import type { CheckResult } from '../../../machines/contract/check.js';
import { verdictSchema } from '../../../machines/contract/verdict.js';

const red: CheckResult = { kind: 'failed', exitCode: 1, name: 'unit', durationMs: 1, tail: 'expected 4\n', tests: 2 };
const evidence = withCheck(none, red);

test('every verdict fits its schema and names a gate', () => {
  const verdicts = [
    pass('checks', evidence),
    reject('admit', 'nothing was changed'),
    rejectCheck(red, 'it to pass', evidence),
    tampered([{ path: 'a', expected: null, found: 'x' }], 'sealed files were changed: a'),
    choice(['package.json'], 'dependencies'),
    unknown('evaluate', 'no verdict', evidence),
  ];
  for (const verdict of verdicts) expect(verdictSchema.parse(verdict)).toEqual(verdict);
  expect(verdicts.map(({ kind, gate }) => `${kind} ${gate}`)).toEqual([
    'pass checks',
    'reject admit',
    'reject checks',
    'tampered integrity',
    'choice integrity',
    'unknown evaluate',
  ]);
});

test('what was seen grows by one check and leaves the evidence before as it was', () => {
  expect([none.checks, evidence.checks, withCheck(evidence, red).checks.length]).toEqual([[], [red], 2]);
});

test('feedback is the reason and the check’s own output; of a long one the end is kept', () => {
  expect(rejectCheck(red, 'it to pass', evidence)).toMatchObject({ feedback: 'unit failed (exit 1); expected it to pass\n\nexpected 4\n', checks: [red] });
  const long = reject('checks', 'reason', { detail: `${'x'.repeat(100_000)}the end` });
  expect(long).toMatchObject({ feedback: expect.stringMatching(/^x{7993}the end$/) });
});
