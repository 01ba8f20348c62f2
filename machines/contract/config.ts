// Owns the schema of pdlc.yaml and its resolved form. Reading the file and naming lines is activities/project/config-file.ts; nothing here does I/O.
import { z } from 'zod';
import { durationSchema } from './duration.js';
import { type Limits, limitsConfigSchema, limitsSchema } from './limits.js';
import { type Stage, stages } from './stage.js';

/** Time limit of a check or setup command when none is configured, in ms. */
export const checkTimeoutMs = 600_000;

const environment = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());
const text = z.string().trim().min(1);

/** A shell command line with its own time limit (ms) and extra environment. */
export const commandSchema = z.strictObject({ run: text, timeout: z.int().min(1), env: environment });
export type Command = z.infer<typeof commandSchema>;

const commandConfig = z
  .union([
    text,
    z.strictObject({ run: text, timeout: durationSchema.pipe(z.int().min(1, 'expected a duration above 0')).optional(), env: environment.optional() }),
  ])
  .transform((value): Command => {
    const given = typeof value === 'string' ? { run: value } : value;
    return { timeout: checkTimeoutMs, env: {}, ...given };
  });

/** How to start an agent: argv without a shell, extra environment, and names of variables that it may see from the caller's environment. */
export const agentSchema = z.strictObject({
  command: z
    .array(z.string())
    .min(1)
    .refine((argv) => argv[0] !== '', { error: 'expected a program name first' }),
  env: environment.default({}),
  pass: z.array(z.string()).default([]),
});
export type AgentCommand = z.infer<typeof agentSchema>;

const agentConfig = z.union([agentSchema, text.transform((name) => ({ name }))]);

const stageConfig = z.strictObject({
  agent: agentConfig.optional(),
  evaluator: agentConfig.optional(),
  model: text.optional(),
  limits: limitsConfigSchema.pick({ attempts: true, usdPerAttempt: true, wall: true, silence: true }).optional(),
});

const dependencyPolicy = z.enum(['ask', 'allow', 'refuse']);
const sealConfig = z
  .union([z.array(text), z.strictObject({ paths: z.array(text).default([]), dependencies: dependencyPolicy.optional() })])
  .transform((value) => {
    const given = Array.isArray(value) ? { paths: value } : value;
    return { dependencies: 'ask' as const, ...given };
  });

/** pdlc.yaml as a person writes it; unknown keys are refused, and parsing yields durations in ms and commands in their long form. */
export const configFileSchema = z.strictObject({
  agent: agentConfig.optional(),
  evaluator: agentConfig.optional(),
  model: text.optional(),
  setup: commandConfig.optional(),
  checks: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/), commandConfig).optional(),
  seal: sealConfig.optional(),
  limits: limitsConfigSchema.optional(),
  stages: z.partialRecord(z.enum(stages), stageConfig).optional(),
});
export type ConfigFile = z.infer<typeof configFileSchema>;

/** What one stage works with after all defaults and overrides; `model` null: the agent's own default. */
export const stageSettingsSchema = z.strictObject({
  agent: agentSchema,
  evaluator: agentSchema,
  model: z.string().nullable(),
  attempts: z.int().min(0),
  usdPerAttempt: z.number().min(0),
  wall: z.int().min(0),
  silence: z.int().min(0),
});
export type StageSettings = z.infer<typeof stageSettingsSchema>;

/** Everything a run takes from configuration, resolved once at its start and fixed from then on. */
export const configSchema = z.strictObject({
  setup: commandSchema.nullable(),
  checks: z.record(z.string(), commandSchema),
  seal: z.strictObject({ paths: z.array(z.string()), dependencies: dependencyPolicy }),
  limits: limitsSchema,
  stages: z.record(z.enum(stages), stageSettingsSchema),
});
export type Config = z.infer<typeof configSchema>;

/** Builds the settings of one stage from the file's general keys and its `stages.<name>` overrides. */
export function stageSettings(file: ConfigFile, stage: Stage, chosen: { agent: AgentCommand; evaluator: AgentCommand; limits: Limits }): StageSettings {
  const own = file.stages?.[stage];
  const { attempts, usdPerAttempt, wall, silence } = { ...chosen.limits, ...dropUnset(own?.limits ?? {}) };
  return { agent: chosen.agent, evaluator: chosen.evaluator, model: own?.model ?? file.model ?? null, attempts, usdPerAttempt, wall, silence };
}

function dropUnset<T extends object>(value: T): { [K in keyof T]: NonNullable<T[K]> } {
  // Optional keys of a parsed file may be present and undefined; a spread would let them hide the default.
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as { [K in keyof T]: NonNullable<T[K]> };
}
