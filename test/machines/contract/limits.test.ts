// Guarantees of limits: the promised defaults, zero is zero, and nothing is unlimited by accident.
import { expect, test } from 'vitest';
import { defaultLimits, limitsConfigSchema, limitsSchema, overlayLimits } from '../../../machines/contract/limits.js';

test('the defaults are four steps, two attempts, 20 dollars, 30 minutes and a day', () => {
  const { steps, attempts, usd, usdPerAttempt, tokens, wall, silence, deadline } = defaultLimits;
  expect({ steps, attempts, usd, usdPerAttempt, tokens }).toEqual({ steps: 4, attempts: 2, usd: 20, usdPerAttempt: 5, tokens: null });
  expect({ wall, silence, deadline }).toEqual({ wall: 1_800_000, silence: 330_000, deadline: 86_400_000 });
  expect(limitsSchema.parse(defaultLimits)).toEqual(defaultLimits);
});

test('zero is zero for every limit', () => {
  const none = limitsConfigSchema.parse({ steps: 0, attempts: 0, usd: 0, usdPerAttempt: 0, tokens: 0, wall: 0, silence: '0', deadline: '0s', wait: 0 });
  expect(Object.values(overlayLimits(defaultLimits, none))).toEqual(Array(9).fill(0));
});

test('what is not set keeps its base', () => {
  expect(overlayLimits(defaultLimits, undefined)).toEqual(defaultLimits);
  expect(overlayLimits(defaultLimits, { steps: undefined, usd: 7 })).toEqual({ ...defaultLimits, usd: 7 });
});

test.each([
  { steps: -1 },
  { steps: 1.5 },
  { steps: '4' },
  { steps: 1_001 },
  { steps: null },
  { usd: -0.01 },
  { usd: Number.NaN },
  { usd: Number.POSITIVE_INFINITY },
  { wall: 'long' },
  { wall: 1_800 },
  { tokens: null },
  { stepz: 4 },
])('%j is refused', (limits) => {
  expect(limitsConfigSchema.safeParse(limits).success).toBe(false);
});
