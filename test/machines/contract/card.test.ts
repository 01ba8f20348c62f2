// Guarantees of the verdict card: what does not fit exactly is no card, and only blocking findings hold back.
import { expect, test } from 'vitest';
import { blockingFindings, cardSchema, findingsMax } from '../../../machines/contract/card.js';

const commit = 'a'.repeat(40);
const finding = { id: 'R1', severity: 'blocking', file: 'src/a.ts', line: 3, why: 'it divides by zero' } as const;
const card = { commit, summary: 'one bug', findings: [finding] };

test('a card of either hash length is a card, with or without a place', () => {
  expect(cardSchema.parse(card)).toEqual(card);
  expect(cardSchema.safeParse({ ...card, commit: 'b'.repeat(64), findings: [{ id: '1', severity: 'normal', why: 'x' }] }).success).toBe(true);
  expect(cardSchema.safeParse({ ...card, findings: [{ ...finding, file: null, line: null }] }).success).toBe(true);
});

test.each([
  ['nothing', null],
  ['words', 'looks good to me'],
  ['no commit', { summary: '', findings: [] }],
  ['a short commit', { ...card, commit: 'aaaaaaa' }],
  ['a commit in capitals', { ...card, commit: 'A'.repeat(40) }],
  ['no findings', { commit, summary: '' }],
  ['a verdict of its own', { ...card, verdict: 'pass' }],
  ['an unknown severity', { ...card, findings: [{ ...finding, severity: 'minor' }] }],
  ['a finding without a reason', { ...card, findings: [{ ...finding, why: '' }] }],
  ['a finding without an id', { ...card, findings: [{ ...finding, id: '' }] }],
  ['a negative line', { ...card, findings: [{ ...finding, line: -1 }] }],
  ['a text that is too long', { ...card, summary: 'x'.repeat(1_001) }],
  ['too many findings', { ...card, findings: Array(findingsMax + 1).fill(finding) }],
])('%s is no card', (_name, value) => {
  expect(cardSchema.safeParse(value).success).toBe(false);
});

test('only blocking findings hold a review back', () => {
  const others = (['serious', 'normal', 'suggestion'] as const).map((severity) => ({ ...finding, severity }));
  expect(blockingFindings({ ...card, findings: [...others, finding] })).toEqual([finding]);
  expect(blockingFindings({ ...card, findings: others })).toEqual([]);
});
