// Owns how tokens and money are counted. Unknown stays unknown: it is never added as zero and never hidden in a sum.
import { z } from 'zod';

const amount = z.number().finite().min(0);
const tokens = z.int().min(0);

/** Tokens of one attempt by kind. */
export const tokensSchema = z.object({ in: tokens, out: tokens, cacheRead: tokens.default(0), cacheWrite: tokens.default(0) });
export type Tokens = z.infer<typeof tokensSchema>;

/** What one agent process says it used; null: it did not say, or said something that is no amount. */
export const usageSchema = z.object({ usd: amount.nullable(), tokens: tokensSchema.nullable() });
export type Usage = z.infer<typeof usageSchema>;

/** Sum over agent processes: known amounts, and how many processes left each figure unknown. */
export type Spend = { usdKnown: number; usdUnknown: number; tokens: Tokens; tokensUnknown: number };

/** Nothing used yet. */
export const noSpend: Spend = { usdKnown: 0, usdUnknown: 0, tokens: { in: 0, out: 0, cacheRead: 0, cacheWrite: 0 }, tokensUnknown: 0 };

/** Usage of an agent process that told nothing. */
export const unknownUsage: Usage = { usd: null, tokens: null };

/** Adds one process's usage; a spend never decreases. */
export function addUsage(spend: Spend, usage: Usage): Spend {
  return {
    usdKnown: rounded(spend.usdKnown + (usage.usd ?? 0)),
    usdUnknown: spend.usdUnknown + (usage.usd === null ? 1 : 0),
    tokens: usage.tokens ? addTokens(spend.tokens, usage.tokens) : spend.tokens,
    tokensUnknown: spend.tokensUnknown + (usage.tokens === null ? 1 : 0),
  };
}

/** Total tokens of every kind, for the token cap. */
export const totalTokens = (t: Tokens): number => t.in + t.out + t.cacheRead + t.cacheWrite;

/** Money to a millionth of a dollar: sums of fractions would otherwise show their binary tails. */
const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6;

function addTokens(a: Tokens, b: Tokens): Tokens {
  return { in: a.in + b.in, out: a.out + b.out, cacheRead: a.cacheRead + b.cacheRead, cacheWrite: a.cacheWrite + b.cacheWrite };
}
