// Guarantees of verdicts and grounds: a closed list, and each one names the gate that spoke.
import { expect, test } from 'vitest';
import { gates, groundFaults, groundSchema, verdictSchema } from '../../../machines/contract/verdict.js';
import { badGround, verdicts } from '../facts.js';

test('every kind of verdict survives a trip through JSON', () => {
  for (const verdict of Object.values(verdicts)) expect(verdictSchema.parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
});

test.each([
  ['nothing', null],
  ['an empty object', {}],
  ['a word', 'pass'],
  ['an unknown kind', { ...verdicts.pass, kind: 'ok' }],
  ['a pass without a gate', { kind: 'pass', checks: [], card: null, usage: [] }],
  ['a pass of an unknown gate', { ...verdicts.pass, gate: 'agent' }],
  ['a pass without evidence', { kind: 'pass', gate: 'checks' }],
  ['a rejection without a reason', { ...verdicts.reject, reason: undefined }],
  ['a check of an unknown kind', { ...verdicts.pass, checks: [{ kind: 'skipped', name: 'unit', durationMs: 1, tail: '', tests: null }] }],
  ['a check whose exit code is missing', { ...verdicts.pass, checks: [{ kind: 'failed', name: 'unit', durationMs: 1, tail: '', tests: null }] }],
  ['a card that is none', { ...verdicts.pass, card: { commit: 'x' } }],
])('%s is no verdict', (_name, value) => {
  expect(verdictSchema.safeParse(value).success).toBe(false);
});

test('the gates come in the order of the pipeline', () => {
  expect(gates).toEqual(['parse', 'admit', 'integrity', 'checks', 'evaluate', 'release']);
});

test('a ground is proved, skipped, or failed for a known fault', () => {
  for (const fault of groundFaults) expect(groundSchema.parse(badGround(fault))).toEqual(badGround(fault));
  expect(groundSchema.safeParse({ kind: 'proved' }).success).toBe(false);
  expect(groundSchema.safeParse({ ...badGround('baseline_red'), fault: 'flaky' }).success).toBe(false);
});
