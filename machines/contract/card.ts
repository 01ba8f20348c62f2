// Owns the evaluator's verdict card. A card that does not fit this schema is no verdict, and no verdict is never a pass.
import { z } from 'zod';

const line = z.string().max(1_000);

/** One finding of an evaluator; ids stay the same over the rounds of one review. */
export const findingSchema = z.strictObject({
  id: z.string().min(1).max(100),
  severity: z.enum(['blocking', 'serious', 'normal', 'suggestion']),
  file: z.string().max(1_000).nullable().optional(),
  line: z.int().min(0).nullable().optional(),
  why: line.min(1),
});
export type Finding = z.infer<typeof findingSchema>;

/** Most findings one card may hold; more is malformed, not truncated. */
export const findingsMax = 50;

/** The verdict card: `commit` must be the one the evaluator was given. */
export const cardSchema = z.strictObject({
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  summary: line,
  findings: z.array(findingSchema).max(findingsMax),
});
export type Card = z.infer<typeof cardSchema>;

/** Findings that hold a review back. */
export const blockingFindings = (card: Card): Finding[] => card.findings.filter((finding) => finding.severity === 'blocking');
