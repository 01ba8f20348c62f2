// Owns the entries of the ledger: past-tense facts, each following from an activity result or a person's command. Writing and chaining them is activities/ledger.
import { z } from 'zod';
import { agentOutcomeSchema, captureSchema, roles } from './attempt.js';
import { limitsSchema } from './limits.js';
import { runStates } from './run-state.js';
import { stages } from './stage.js';
import { groundSchema, verdictSchema } from './verdict.js';

const base = { seq: z.int().min(1), at: z.string() };
const place = { ...base, stage: z.enum(stages), step: z.int().min(1) };

/** Commands of a person that travel as signals. */
export const commandKinds = ['resume', 'pause', 'abort', 'note', 'extend', 'choose'] as const;
export type CommandKind = (typeof commandKinds)[number];

/** One fact of a run, keyed by `kind`; `seq` counts from 1 without gaps, `at` is the workflow's ISO time. */
export const ledgerEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run.started'),
    ...base,
    featureId: z.string(),
    workflowId: z.string(),
    repo: z.string(),
    branch: z.string(),
    base: z.string(),
    tip: z.string(),
    design: z.string(),
    limits: limitsSchema,
    configSource: z.string(),
    honor: z.boolean(),
  }),
  z.object({ kind: z.literal('stage.dispatched'), ...place, entry: z.enum(['work', 'judge']) }),
  z.object({ kind: z.literal('ground.proved'), ...place, ground: groundSchema, tree: z.string(), notices: z.array(z.string()) }),
  z.object({ kind: z.literal('attempt.ended'), ...place, attempt: z.int(), role: z.enum(roles), outcome: agentOutcomeSchema, swept: z.int() }),
  z.object({ kind: z.literal('work.captured'), ...place, attempt: z.int(), author: z.enum(['agent', 'person']), capture: captureSchema }),
  z.object({ kind: z.literal('verdict.reached'), ...place, attempt: z.int(), commit: z.string(), verdict: verdictSchema, durationMs: z.number() }),
  z.object({ kind: z.literal('infrastructure.failed'), ...place, act: z.string(), reason: z.string() }),
  z.object({ kind: z.literal('stage.settled'), ...place, ok: z.boolean(), reason: z.string().nullable(), attempts: z.int(), durationMs: z.number() }),
  z.object({ kind: z.literal('branch.moved'), ...place, head: z.string() }),
  z.object({ kind: z.literal('person.acted'), ...base, id: z.string(), command: z.enum(commandKinds), accepted: z.boolean(), detail: z.string() }),
  z.object({ kind: z.literal('limits.changed'), ...base, limits: limitsSchema }),
  z.object({ kind: z.literal('run.waiting'), ...base, state: z.enum(runStates), reason: z.string(), until: z.string().nullable() }),
  z.object({ kind: z.literal('run.ended'), ...base, state: z.enum(runStates), reason: z.string().nullable() }),
]);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** A fact before it has its number and time. */
export type Fact = LedgerEntry extends infer E ? (E extends LedgerEntry ? Omit<E, 'seq' | 'at'> : never) : never;
