// Owns when a run has spent too much. Pure arithmetic over known amounts; what is unknown is bounded by the other limits and said in the status.
import type { Limits } from './contract/limits.js';
import { type Spend, totalTokens } from './contract/usage.js';

/** Why no further agent may be started, or null; `lastUsd` is what the latest attempt alone cost, null when unknown. */
export function breachOf(spend: Spend, limits: Limits, last: { usd: number | null; usdMax: number } | null): string | null {
  if (limits.usd <= spend.usdKnown) return `budget: ${usd(spend.usdKnown)} of ${usd(limits.usd)} are spent (limits.usd)`;
  if (limits.tokens !== null && limits.tokens <= totalTokens(spend.tokens))
    return `budget: ${totalTokens(spend.tokens)} of ${limits.tokens} tokens are used (limits.tokens)`;
  if (last?.usd != null && last.usd > last.usdMax) return `budget: one attempt cost ${usd(last.usd)}, more than ${usd(last.usdMax)} (limits.usdPerAttempt)`;
  return null;
}

function usd(amount: number): string {
  return `USD ${amount.toFixed(2)}`;
}
