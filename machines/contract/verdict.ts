// Owns what judging a candidate, or proving the ground before it, can say. A verdict names the gate that spoke; there is no verdict without one.
import { z } from 'zod';
import { cardSchema } from './card.js';
import { checkResultSchema } from './check.js';
import { usageSchema } from './usage.js';

/** The links of the judgement pipeline, in order; the first that refuses names the rejection. */
export const gates = ['parse', 'admit', 'integrity', 'checks', 'evaluate', 'release'] as const;
export type Gate = (typeof gates)[number];

/** A sealed or deciding path that is not what it must be; `expected` and `found` are git object ids, null for absent. */
export const tamperingSchema = z.object({ path: z.string(), expected: z.string().nullable(), found: z.string().nullable() });
export type Tampering = z.infer<typeof tamperingSchema>;

const evidence = {
  gate: z.enum(gates),
  checks: z.array(checkResultSchema),
  card: cardSchema.nullable(),
  /** One entry per evaluator process that judging cost. */
  usage: z.array(usageSchema),
};

/**
 * The verdict on one candidate. `reject` may be repaired once (`feedback` is the bounded text for the next prompt); `choice` needs a person;
 * `unknown` means that judging itself could not come to a verdict, which is never a pass.
 */
export const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pass'), ...evidence }),
  z.object({ kind: z.literal('reject'), reason: z.string(), feedback: z.string(), ...evidence }),
  z.object({ kind: z.literal('tampered'), reason: z.string(), paths: z.array(tamperingSchema), ...evidence }),
  z.object({ kind: z.literal('choice'), reason: z.string(), paths: z.array(z.string()), ...evidence }),
  z.object({ kind: z.literal('unknown'), reason: z.string(), ...evidence }),
]);
export type Verdict = z.infer<typeof verdictSchema>;

/** Why the ground is not fit to start on. */
export const groundFaults = ['baseline_red', 'setup_failed', 'agent_missing', 'check_not_run', 'already_green'] as const;

/** Result of proving the ground on the untouched base before the first agent starts; `skipped` when this run has proved it already. */
export const groundSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proved'), checks: z.array(checkResultSchema) }),
  z.object({ kind: z.literal('skipped') }),
  z.object({ kind: z.literal('failed'), fault: z.enum(groundFaults), reason: z.string(), checks: z.array(checkResultSchema) }),
]);
export type Ground = z.infer<typeof groundSchema>;
