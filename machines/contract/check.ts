// Owns the result of one check and what may be read out of it. Only `passed` is a pass; everything else says exactly what is known.
import { z } from 'zod';

/** Longest output tail of a check that travels in results and prompts, in bytes. */
export const tailBytesMax = 8_192;

const facts = { name: z.string(), durationMs: z.number(), tail: z.string(), tests: z.int().nullable() };

/**
 * How a check ended. `exitCode` 126 and 127 are `not_run` (the program could not be started), 124 is `timed_out` whoever set the limit,
 * 128 and above `signalled`; `tests` is the number of tests the runner reported, null when it reported none.
 */
export const checkResultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passed'), ...facts }),
  z.object({ kind: z.literal('failed'), exitCode: z.int(), ...facts }),
  z.object({ kind: z.literal('not_run'), exitCode: z.int(), ...facts }),
  z.object({ kind: z.literal('signalled'), signal: z.int(), ...facts }),
  z.object({ kind: z.literal('timed_out'), ...facts }),
  z.object({ kind: z.literal('flooded'), ...facts }),
]);
export type CheckResult = z.infer<typeof checkResultSchema>;

/** Whether a check is red in the sense of tdd: it ran to its end, saw at least one test where it counts them, and said no. */
export function isRed(result: CheckResult): boolean {
  return result.kind === 'failed' && result.tests !== 0;
}

/** One clause on how a check ended, for reasons and tables. */
export function describeCheck(result: CheckResult): string {
  switch (result.kind) {
    case 'passed':
      return result.tests === 0 ? `${result.name} ran no tests (exit 0)` : `${result.name} passed`;
    case 'failed':
      return result.tests === 0 ? `${result.name} ran no tests (exit ${result.exitCode})` : `${result.name} failed (exit ${result.exitCode})`;
    case 'not_run':
      return `${result.name} could not run (exit ${result.exitCode})`;
    case 'signalled':
      return `${result.name} was ended by signal ${result.signal}`;
    case 'timed_out':
      return `${result.name} reached its time limit`;
    case 'flooded':
      return `${result.name} wrote more output than its limit`;
  }
}
