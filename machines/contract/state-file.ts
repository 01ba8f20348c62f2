// Owns the format of docs/.pdlc-state/<id>.json of existing projects and the next mapping over it. Pure text in, value out: reading bytes is elsewhere.
import { z } from 'zod';
import { type CheckResult, isRed } from './check.js';
import { nextStepAfter, type Stage, stages } from './stage.js';

/** Largest state file that is read, in bytes. */
export const stateFileBytesMax = 1_048_576;

/** Where state lies in a repository. */
export const stateDir = 'docs/.pdlc-state';
/** Path of a feature's state file inside its repository. */
export const stateFilePath = (featureId: string): string => `${stateDir}/${featureId}.json`;
/** Path of a feature's history file inside its repository. */
export const historyFilePath = (featureId: string): string => `${stateDir}/${featureId}.history.jsonl`;

const strings = z.array(z.string());
const relations = z.strictObject({
  extends: strings.optional(),
  depends_on: strings.optional(),
  supersedes: strings.optional(),
  resolves: strings.optional(),
  conflicts_with: strings.optional(),
  relates_to: strings.optional(),
  _updated_at: z.string().nullable().optional(),
});

const historyEntry = z.strictObject({
  stage: z.string(),
  done_at: z.string(),
  produced: strings.optional(),
  self_audit: z.strictObject({ passed: z.number().optional(), failed: z.number().optional(), manual: z.number().optional() }).optional(),
  auto_decisions: z.array(z.strictObject({ point: z.string(), chose: z.string(), at: z.string() })).optional(),
});

const phaseResult = z.strictObject({
  stage: z.string(),
  ok: z.boolean(),
  advanced_to: z.string().nullable(),
  checks: z.record(z.string(), z.boolean()),
  self_audit: z.strictObject({ failed: z.number().optional(), passed: z.number().optional(), manual: z.number().optional() }).optional(),
  blocked_reason: z.string().nullable().optional(),
  run_mode: z.string().optional(),
  at: z.string(),
});

/** The state of a feature as existing projects keep it; unknown fields are refused so that nothing is dropped silently when it is rewritten. */
export const featureStateSchema = z.strictObject({
  feature_id: z.string(),
  feature_name: z.string().optional(),
  created_at: z.string().optional(),
  current_stage: z.string(),
  run_mode: z.string().optional(),
  history: z.array(historyEntry).optional(),
  last_phase_result: phaseResult.nullable().optional(),
  blocked_reason: z.string().nullable().optional(),
  relations: relations.optional(),
  next_step: z.string().nullable().optional(),
});
export type FeatureState = z.infer<typeof featureStateSchema>;

/** A parsed state file, or in words what was expected and what was found. */
export type StateReading = { ok: true; state: FeatureState } | { ok: false; expected: string; found: string };

/** Parses the text of a state file; never throws. */
export function parseState(text: string): StateReading {
  const bad = (found: string): StateReading => ({ ok: false, expected: 'a JSON object in the state file format', found });
  if (text.trim() === '') return bad('an empty file');
  if (text.startsWith('\uFEFF')) return bad('a byte-order mark before the JSON text');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad(`text that is not JSON (${error instanceof Error ? error.message : 'parse error'})`);
  }
  if (Array.isArray(value)) return bad('an array');
  if (typeof value !== 'object' || value === null) return bad(value === null ? 'null' : `a ${typeof value}`);
  const parsed = featureStateSchema.safeParse(value);
  if (parsed.success) return { ok: true, state: parsed.data };
  const issue = parsed.error.issues[0];
  const path = issue?.path.join('.') || 'the object';
  return bad(issue?.code === 'unrecognized_keys' ? `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')} in ${path}` : `${path}: ${issue?.message}`);
}

/** The next decision: a stage to dispatch, done, or blocked with its reason. */
export type Next = { kind: 'stage'; stage: Stage } | { kind: 'done' } | { kind: 'blocked'; reason: string };

/** The next mapping over a state file; first match wins, and `current_stage` never chooses a stage. */
export function nextOf(reading: StateReading): Next {
  if (!reading.ok) return { kind: 'blocked', reason: `state file: expected ${reading.expected}, found ${reading.found}` };
  const { state } = reading;
  const reason = state.blocked_reason || state.last_phase_result?.blocked_reason;
  if (reason) return { kind: 'blocked', reason };
  if (state.current_stage.endsWith('_done')) return { kind: 'done' };
  return nextOfStep(state.next_step ?? null);
}

/** The mapping of one `next_step` value alone. */
export function nextOfStep(nextStep: string | null): Next {
  if (nextStep === null || nextStep === 'pdlc-ship' || nextStep === 'pdlc-deploy') return { kind: 'done' };
  const stage = stages.find((name) => nextStep === `pdlc-${name}`);
  if (stage) return { kind: 'stage', stage };
  return { kind: 'blocked', reason: `next_step ${JSON.stringify(nextStep)} is outside tdd, implement and review` };
}

/** The bare token that `pdlc loop-next` prints. */
export const nextToken = (next: Next): string => (next.kind === 'stage' ? `pdlc-${next.stage}` : next.kind);

const checkNames: Record<string, string> = { unit: 'tests_pass', coverage: 'coverage_pass', lint: 'lint_clean' };

/** Exit-code facts under the names of existing projects: `tests_pass`, `coverage_pass`, `lint_clean`; in tdd `unit` becomes `red_verified`. */
export function checkFacts(stage: Stage, results: readonly CheckResult[]): Record<string, boolean> {
  const own = results.filter(({ name }) => !name.includes(' ')); // names with a space are a second run of the same check, as evidence only
  return Object.fromEntries(
    own.map((result) => {
      if (stage === 'tdd' && result.name === 'unit') return ['red_verified', isRed(result)];
      return [checkNames[result.name] ?? `${result.name}_pass`, result.kind === 'passed'];
    }),
  );
}

/** What the engine writes after a stage. `checks` holds only exit-code facts of commands that really ran; `at` is ISO time. */
export type StageRecord = { stage: Stage; ok: boolean; reason: string | null; checks: Record<string, boolean>; produced: string[]; at: string };

/** The state after a stage: advanced when ok, otherwise kept where it was with the reason. */
export function stateAfter(state: FeatureState, record: StageRecord): FeatureState {
  const { stage, ok, reason, checks, produced, at } = record;
  const next = nextStepAfter(stage);
  return {
    ...state,
    ...(ok && state.blocked_reason ? { blocked_reason: null } : {}),
    current_stage: ok ? stage : state.current_stage,
    run_mode: 'autonomous',
    history: ok ? [...(state.history ?? []), { stage, done_at: at, produced }] : (state.history ?? []),
    last_phase_result: {
      stage,
      ok,
      advanced_to: ok ? next.replace(/^pdlc-/, '') : null,
      checks,
      self_audit: { failed: 0 },
      blocked_reason: ok ? null : (reason ?? 'unknown'),
      run_mode: 'autonomous',
      at,
    },
    next_step: ok ? next : (state.next_step ?? null),
  };
}

/** The state with its block lifted, as a person's resume asks for. */
export function stateUnblocked(state: FeatureState): FeatureState {
  const last = state.last_phase_result;
  return { ...state, ...(state.blocked_reason ? { blocked_reason: null } : {}), ...(last ? { last_phase_result: { ...last, blocked_reason: null } } : {}) };
}
