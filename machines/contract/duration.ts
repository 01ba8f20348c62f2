// Owns the text form of durations ("5m30s") in configuration, flags and messages. No clock is read here.
import { z } from 'zod';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Longest duration a configuration may name, in ms; setTimeout and Temporal timers both stay well inside it. */
export const durationMsMax = 20 * unitMs.d;

/** Milliseconds of a text such as `30m`, `5m30s`, `500ms` or `0`; null when it is not a duration or is over 20 days. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * unitMs[unit as keyof typeof unitMs]; // the pattern admits only these units
  }
  return totalMs <= durationMsMax ? Math.round(totalMs) : null;
}

/** Shortest exact text for a number of ms, as `parseDuration` reads it. */
export function formatDuration(totalMs: number): string {
  if (totalMs === 0) return '0';
  let rest = totalMs;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / unitMs[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs[unit];
  }
  return text;
}

/** A duration in a file or flag, parsed to ms. */
export const durationSchema = z
  .union([z.string(), z.literal(0)])
  .transform((value, context) => {
    const totalMs = parseDuration(String(value));
    if (totalMs !== null) return totalMs;
    context.addIssue(`expected a duration such as 30m or 5m30s (at most 20d), found ${JSON.stringify(value)}`);
    return z.NEVER;
  })
  .meta({ type: 'string', description: 'a duration such as 30m, 5m30s or 24h' });
