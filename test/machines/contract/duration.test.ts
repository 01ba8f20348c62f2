// Guarantees of durations: exact, bounded, and never guessed from something that is none.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationMsMax, durationSchema, formatDuration, parseDuration } from '../../../machines/contract/duration.js';

test.each([
  ['0', 0],
  ['0s', 0],
  ['500ms', 500],
  ['30m', 1_800_000],
  ['5m30s', 330_000],
  ['1.5h', 5_400_000],
  ['1d', 86_400_000],
  ['20d', durationMsMax],
  ['1h1h', 7_200_000],
])('%j is %d ms', (text, totalMs) => {
  expect(parseDuration(text)).toBe(totalMs);
});

test.each(['', ' ', '5', '-5m', '5 m', 'm', '5x', '5m ', '1e3s', '.5h', '5.h', 'Infinity', '20d1ms', '9'.repeat(400).concat('d'), '５m', '5M'])(
  '%j is no duration',
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);

test('every number of ms up to the longest is written so that it is read back', () => {
  fc.assert(fc.property(fc.nat(durationMsMax), (totalMs) => parseDuration(formatDuration(totalMs)) === totalMs));
  expect(formatDuration(330_000)).toBe('5m30s');
});

test('a bare 0 is the only number that is a duration', () => {
  expect(durationSchema.parse(0)).toBe(0);
  for (const value of [5, -1, null, true, Number.NaN]) expect(durationSchema.safeParse(value).success).toBe(false);
});

test('a refusal names what was expected and what was found', () => {
  expect(durationSchema.safeParse('soon').error?.issues[0]?.message).toBe('expected a duration such as 30m or 5m30s (at most 20d), found "soon"');
});
