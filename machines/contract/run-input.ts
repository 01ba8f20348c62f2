// Owns what a run is started with. It is fixed at the start, visible in Temporal's history, and therefore holds no secret.
import { z } from 'zod';
import { configSchema } from './config.js';
import { featureIdSchema } from './feature-id.js';
import { stages } from './stage.js';

/**
 * Input of the feature workflow. `repo` is the absolute path of the user's checkout, `gitDir` of its common git directory, `base` the commit that the branch grew from, `tip` the commit
 * to go on from, `branchTip` where the branch was in the user's repository at the start (null: there was none), `saveTipAs` a ref that keeps that old tip
 * when the run starts afresh, `entry` how the first stage begins (`judge`: a person's work is judged before any agent), `files` the host's folder with the design, the
 * state file and the environment as they were at the start (values stay on the host), `heartbeatMs` the heartbeat timeout, `engine` the one that wrote all this (none: before formats had numbers).
 */
export const runInputSchema = z.strictObject({
  featureId: featureIdSchema,
  project: z.string(),
  hostId: z.string(),
  repo: z.string(),
  gitDir: z.string(),
  branch: z.string(),
  base: z.string(),
  tip: z.string(),
  branchTip: z.string().nullable(),
  saveTipAs: z.string().nullable(),
  startStage: z.enum(stages),
  entry: z.enum(['work', 'judge']),
  design: z.strictObject({ path: z.string(), digest: z.string() }),
  config: configSchema,
  configSource: z.string(),
  honor: z.boolean(),
  files: z.string(),
  heartbeatMs: z.int().min(1_000),
  engine: z.strictObject({ version: z.string(), format: z.int() }).optional(),
});
export type RunInput = z.infer<typeof runInputSchema>;
