// Guarantees of the budget: a hard edge over known amounts, nothing hidden in what is unknown.
import { expect, test } from 'vitest';
import { breachOf } from '../../machines/budget.js';
import { defaultLimits, type Limits } from '../../machines/contract/limits.js';
import { addUsage, noSpend, type Spend } from '../../machines/contract/usage.js';

const spent = (usd: number): Spend => addUsage(noSpend, { usd, tokens: { in: 50, out: 20, cacheRead: 20, cacheWrite: 10 } });

test.each<[string, [Spend, Partial<Limits>], RegExp | null]>([
  ['nothing spent', [noSpend, {}], null],
  ['less than the budget', [spent(19.99), {}], null],
  ['exactly the budget', [spent(20), {}], /^budget: USD 20\.00 of USD 20\.00 are spent \(limits\.usd\)$/],
  ['more than the budget', [spent(21), {}], /limits\.usd/],
  ['a budget of zero', [noSpend, { usd: 0 }], /limits\.usd/],
  ['tokens without a cap', [spent(1), { tokens: null }], null],
  ['fewer tokens than the cap', [spent(1), { tokens: 101 }], null],
  ['exactly the token cap, caches included', [spent(1), { tokens: 100 }], /100 of 100 tokens are used \(limits\.tokens\)/],
  ['a token cap of zero', [noSpend, { tokens: 0 }], /limits\.tokens/],
])('%s', (_name, [spend, limits], expected) => {
  const breach = breachOf(spend, { ...defaultLimits, ...limits }, null);
  if (expected) expect(breach).toMatch(expected);
  else expect(breach).toBeNull();
});

test.each<[string, { usd: number | null; usdMax: number } | null, boolean]>([
  ['no attempt yet', null, false],
  ['an attempt of unknown cost', { usd: null, usdMax: 5 }, false],
  ['an attempt at its limit', { usd: 5, usdMax: 5 }, false],
  ['an attempt over its limit', { usd: 5.01, usdMax: 5 }, true],
  ['a free attempt under a limit of zero', { usd: 0, usdMax: 0 }, false],
  ['a paid attempt under a limit of zero', { usd: 0.01, usdMax: 0 }, true],
])('%s, %j, breaches the limit of one attempt: %s', (_name, last, isBreach) => {
  expect(breachOf(noSpend, defaultLimits, last)?.includes('limits.usdPerAttempt') ?? false).toBe(isBreach);
});

test('unknown cost is no cost that is known, and tokens still bind', () => {
  const unknown = addUsage(noSpend, { usd: null, tokens: { in: 10, out: 0, cacheRead: 0, cacheWrite: 0 } });
  expect(breachOf(unknown, { ...defaultLimits, usd: 1 }, null)).toBeNull();
  expect(breachOf(unknown, { ...defaultLimits, usd: 1, tokens: 10 }, null)).toMatch(/limits\.tokens/);
});
