// Owns the limits of a run: their keys, defaults and units. Zero means zero; no limit is ever "unlimited" by accident.
import { z } from 'zod';
import { durationSchema } from './duration.js';

const count = z.int().min(0).max(1_000);
const money = z.number().min(0).max(1_000_000);

/** `limits:` of pdlc.yaml; every key optional, durations as text. */
export const limitsConfigSchema = z.strictObject({
  steps: count.optional(),
  attempts: count.optional(),
  usd: money.optional(),
  usdPerAttempt: money.optional(),
  tokens: z.int().min(0).optional(),
  wall: durationSchema.optional(),
  silence: durationSchema.optional(),
  deadline: durationSchema.optional(),
  wait: durationSchema.optional(),
});

/** Limits as configured: durations already in ms. */
export type LimitsConfig = z.infer<typeof limitsConfigSchema>;

/**
 * Effective limits of a run. `steps` counts dispatched stages, `attempts` agent processes per stage, money is USD, `tokens` is the total of a
 * run (null: no cap), `wall`/`silence` are ms per attempt, `deadline` ms per run without the time spent waiting for a person, `wait` ms for a usage limit.
 */
export const limitsSchema = z.strictObject({
  steps: count,
  attempts: count,
  usd: money,
  usdPerAttempt: money,
  tokens: z.int().min(0).nullable(),
  wall: z.int().min(0),
  silence: z.int().min(0),
  deadline: z.int().min(0),
  wait: z.int().min(0),
});
export type Limits = z.infer<typeof limitsSchema>;

/** What binds when nothing is configured (product defaults: 4 = three stages and one spare for a person's resume). */
export const defaultLimits: Limits = {
  steps: 4,
  attempts: 2,
  usd: 20,
  usdPerAttempt: 5,
  tokens: null,
  wall: 30 * 60_000,
  silence: 330_000,
  deadline: 24 * 3_600_000,
  wait: 6 * 3_600_000,
};

/** Overlays configured limits on a base; keys that are not set keep the base's value. */
export function overlayLimits(base: Limits, over: LimitsConfig | undefined): Limits {
  const set = Object.entries(over ?? {}).filter(([, value]) => value !== undefined);
  return limitsSchema.parse({ ...base, ...Object.fromEntries(set) });
}
