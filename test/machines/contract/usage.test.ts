// Guarantees of counting: known amounts add up, unknown stays unknown, nothing is ever given back.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addUsage, noSpend, totalTokens, type Usage, unknownUsage, usageSchema } from '../../../machines/contract/usage.js';

const tokens = { in: 1, out: 2, cacheRead: 3, cacheWrite: 4 };

test('an unknown amount is counted as unknown, not as zero', () => {
  expect(addUsage(noSpend, unknownUsage)).toEqual({ ...noSpend, usdUnknown: 1, tokensUnknown: 1 });
  expect(addUsage(noSpend, { usd: 0, tokens: null })).toEqual({ ...noSpend, tokensUnknown: 1 });
});

test('every kind of token counts', () => {
  const { tokens: sum } = addUsage(addUsage(noSpend, { usd: 1, tokens }), { usd: 1, tokens });
  expect([sum, totalTokens(sum)]).toEqual([{ in: 2, out: 4, cacheRead: 6, cacheWrite: 8 }, 20]);
});

test('a spend never falls, whatever is added', () => {
  const usages: fc.Arbitrary<Usage> = fc.record({
    usd: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
    tokens: fc.option(fc.record({ in: fc.nat(), out: fc.nat(), cacheRead: fc.nat(), cacheWrite: fc.nat() })),
  });
  fc.assert(
    fc.property(fc.array(usages), usages, (earlier, last) => {
      const before = earlier.reduce(addUsage, noSpend);
      const after = addUsage(before, last);
      expect(after.usdKnown).toBeGreaterThanOrEqual(before.usdKnown);
      expect(totalTokens(after.tokens)).toBeGreaterThanOrEqual(totalTokens(before.tokens));
      expect(after.usdUnknown - before.usdUnknown).toBe(last.usd === null ? 1 : 0);
    }),
  );
});

test.each([
  { usd: -1 },
  { usd: Number.NaN },
  { usd: Number.POSITIVE_INFINITY },
  { usd: '1' },
  { tokens: { in: -1, out: 0 } },
  { tokens: { in: 0.5, out: 0 } },
  { tokens: { in: 1 } },
])('%j is no amount', (part) => {
  expect(usageSchema.safeParse({ ...unknownUsage, ...part }).success).toBe(false);
});
