// Owns what commands share of arguments and options: their names, and their parsing (text in, value out, or a refusal that names what was expected).
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../machines/contract/duration.js';
import { type LimitsConfig, limitsConfigSchema } from '../machines/contract/limits.js';
import type { Extension } from '../workflows/messages.js';

/** The feature that a command is about. */
export const idArgument = '<featureId>';

/** The flag, with its help, of every command that can answer a program. */
export const jsonOption = ['--json', 'print one JSON object on stdout'] as const;

/** What commander hands over of `jsonOption`: true when it was given. */
export type Json = { json?: true };

/** Limits that are durations; the others are plain numbers. */
const durations = new Set(['wall', 'silence', 'deadline', 'wait']);

/** A whole number of at least 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`expected a whole number from 1 to 999, found ${JSON.stringify(text)}.`);
}

/** An amount of USD of at least 0. */
export function parseUsd(text: string): number {
  if (/^\d{1,7}(\.\d{1,4})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`expected an amount such as 5 or 2.50, found ${JSON.stringify(text)}.`);
}

/** Adds one limit `key=value` to those given before it. */
export function parseLimit(text: string, before: LimitsConfig[] = []): LimitsConfig[] {
  const [key = '', value = ''] = text.split('=');
  const given = limitsConfigSchema.safeParse({ [key]: durations.has(key) ? value : Number(value || 'none') });
  if (given.success) return [...before, given.data];
  throw new InvalidArgumentError(`expected one of ${Object.keys(limitsConfigSchema.shape).join(', ')} with a value, found ${JSON.stringify(text)}.`);
}

/** One raised limit from `--<key> <value>`: absolute, or relative with a leading +. */
export function parseExtension(key: keyof LimitsConfig): (text: string) => Extension {
  return (text) => {
    const relative = text.startsWith('+');
    const amount = relative ? text.slice(1) : text;
    const value = durations.has(key) ? parseDuration(amount) : /^\d+(\.\d+)?$/.test(amount) ? Number(amount) : null;
    if (value !== null) return { key, value, relative };
    throw new InvalidArgumentError(
      `expected ${durations.has(key) ? 'a duration such as 30m or +10m' : 'a number such as 6 or +1'}, found ${JSON.stringify(text)}.`,
    );
  };
}

/** Allow or refuse, as true or false. */
export function parseChoice(text: string): boolean {
  if (text === 'allow' || text === 'refuse') return text === 'allow';
  throw new InvalidArgumentError(`expected allow or refuse, found ${JSON.stringify(text)}.`);
}
