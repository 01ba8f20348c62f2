// Owns the outcome of one agent process and of the capture that follows it. The agent's own words are kept for people and move nothing.
import { z } from 'zod';
import { usageSchema } from './usage.js';

/** What an agent is started as: `worker` edits for a stage, `fixer` answers blocking findings, `evaluator` only reads. */
export const roles = ['worker', 'fixer', 'evaluator'] as const;
export type Role = (typeof roles)[number];

/** Longest quote of an agent's last line in a reason, in characters. */
const lastLineMax = 200;

const facts = { usage: usageSchema, durationMs: z.number(), lastWords: z.string() };

/**
 * How an agent process ended. `lost`, `cancelled`, `limited`, `needs_login` and `misconfigured` never use up an attempt;
 * `until` is epoch ms or null when the agent did not say.
 */
export const agentOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('finished'), ...facts }),
  z.object({ kind: z.literal('failed'), exitCode: z.int(), ...facts }),
  z.object({ kind: z.literal('signalled'), signal: z.int(), ...facts }),
  z.object({ kind: z.literal('timed_out'), ...facts }),
  z.object({ kind: z.literal('silent'), ...facts }),
  z.object({ kind: z.literal('flooded'), ...facts }),
  z.object({ kind: z.literal('lost'), ...facts }),
  z.object({ kind: z.literal('cancelled'), ...facts }),
  z.object({ kind: z.literal('limited'), until: z.number().nullable(), ...facts }),
  z.object({ kind: z.literal('needs_login'), ...facts }),
  z.object({ kind: z.literal('misconfigured'), reason: z.string(), ...facts }),
]);
export type AgentOutcome = z.infer<typeof agentOutcomeSchema>;

/** Whether this end uses up one of the stage's attempts: everything the agent itself did does, everything that happened to it does not. */
export function isCharged(outcome: AgentOutcome): boolean {
  return !['lost', 'cancelled', 'limited', 'needs_login', 'misconfigured'].includes(outcome.kind);
}

/** One sentence on an end that cannot be judged, for prompts and reasons; null for `finished`. */
export function outcomeProblem(outcome: AgentOutcome): string | null {
  const said = lastLine(outcome.lastWords);
  switch (outcome.kind) {
    case 'finished':
      return null;
    case 'failed':
      return `agent exited with ${outcome.exitCode}${said}`;
    case 'signalled':
      return `agent was ended by signal ${outcome.signal}${said}`;
    case 'timed_out':
      return 'agent reached its wall time limit';
    case 'silent':
      return 'agent was silent for longer than its limit';
    case 'flooded':
      return 'agent wrote more output than its limit';
    case 'lost':
      return `agent process was lost: it is gone and left no result${said}`;
    case 'cancelled':
      return 'agent was stopped by the engine';
    case 'limited':
      return 'agent is held by a usage limit';
    case 'needs_login':
      return 'agent needs a login';
    case 'misconfigured':
      return `agent could not be started: ${outcome.reason}`;
  }
}

function lastLine(words: string): string {
  const line = words.trim().split('\n').at(-1)?.trim() ?? '';
  return line ? `: ${line.slice(0, lastLineMax)}` : '';
}

/** Something that capture left out of the commit, and why. */
export const omissionSchema = z.object({ path: z.string(), reason: z.enum(['secret', 'huge', 'junk', 'state_file', 'embedded_repository']) });
export type Omission = z.infer<typeof omissionSchema>;

/**
 * The engine's commit of a worktree. `changed`: its tree differs from the one at stage entry (state files aside); `files` is the bounded list of changed paths;
 * `stateTamper`: the agent wrote into the engine's own files, which is recorded and ignored.
 */
export const captureSchema = z.object({
  commit: z.string(),
  tree: z.string(),
  changed: z.boolean(),
  files: z.array(z.string()),
  filesTotal: z.number(),
  omitted: z.array(omissionSchema),
  agentCommits: z.number(),
  stateTamper: z.boolean(),
});
export type Capture = z.infer<typeof captureSchema>;
