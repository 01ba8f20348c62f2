// Owns what a person's command does to a run: the machine that understands it is told, and whether it was accepted is recorded under the command's id.
import { breachOf } from '../machines/budget.js';
import type { Config } from '../machines/contract/config.js';
import type { CommandKind } from '../machines/contract/ledger.js';
import { type Limits, limitsSchema } from '../machines/contract/limits.js';
import { isFinal } from '../machines/contract/run-state.js';
import { totalTokens } from '../machines/contract/usage.js';
import { type Live, record, stateOf } from './live.js';
import type { Extension, Resume, WithId } from './messages.js';
import { tell } from './perform.js';
import { tellRun } from './settle.js';

/** Most command ids remembered; a repeat of an older one would be taken as new. */
const seenMax = 200;
/** Longest note or reason of a person that is kept, in characters. */
const textLengthMax = 4_000;

/** States in which a person's tests may become the seal: nothing of an agent is under way or waiting to be judged. */
const resealable: readonly string[] = ['blocked', 'stuck', 'integrity'];

type Answer = { accepted: boolean; detail: string };

/** Runs one command once: a repeated id, or a closed run, changes nothing. */
export function once(live: Live, { command, id }: WithId & { command: CommandKind }, answer: () => Answer): void {
  if (live.seen.includes(id)) return;
  live.seen = [...live.seen, id].slice(-seenMax);
  const given = isFinal(stateOf(live)) ? { accepted: false, detail: 'the run is over' } : answer();
  record(live, { kind: 'person.acted', id, command, ...given });
  live.commands += 1;
}

/** Goes on from a waiting state; a moving run only loses a pending pause. */
export function resume(live: Live, { reseal }: Resume): Answer {
  const state = stateOf(live);
  if (state === 'capped') return refuse(`all ${live.report.limits.steps} steps are used; raise the cap first: pdlc extend ${live.input.featureId} --steps +1`);
  if (state === 'awaiting_choice') return refuse(`the run waits for a choice: pdlc choose ${live.input.featureId} allow|refuse`);
  if (reseal && !resealable.includes(state)) return refuse(`--reseal is for a stage that has stopped, this run is ${state}`);
  live.reseal = reseal;
  toBoth(live, 'person.resumed');
  const after = stateOf(live);
  if (after === state && state === 'paused') return refuse(live.stage?.context.reason ?? live.run.context.reason ?? 'still paused');
  return accept(`${state} → ${after}`);
}

/** Asks for a stop after the attempt that is under way. */
export function pause(live: Live): Answer {
  toBoth(live, 'person.paused');
  return accept('the run pauses after what it is doing now');
}

/** Asks for the end at the next decision. */
export function abort(live: Live, reason: string): Answer {
  const event = { type: 'person.aborted', reason: bounded(reason) || 'aborted by a person' } as const;
  tell(live, event);
  tellRun(live, event);
  return accept(event.reason);
}

/** Adds a person's words to the next prompt, and to every further one of that stage. */
export function note(live: Live, text: string): Answer {
  live.notes = [...live.notes, bounded(text)];
  return accept('it goes into the next prompt');
}

/** Answers a question about changed dependency manifests. */
export function choose(live: Live, allow: boolean): Answer {
  if (stateOf(live) !== 'awaiting_choice') return refuse(`the run waits for no choice, it is ${stateOf(live)}`);
  tell(live, { type: 'person.chose', allow });
  return accept(allow ? 'allowed' : 'refused');
}

/** Sets new limits; one that would fall below what is used is refused whole. */
export function extend(live: Live, extensions: Extension[]): Answer {
  const { limits } = live.report;
  const wanted: Limits = { ...limits };
  for (const { key, value, relative } of extensions) wanted[key] = relative ? (limits[key] ?? 0) + value : value;
  const parsed = limitsSchema.safeParse(wanted);
  if (!parsed.success) return refuse(`limits.${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`);
  const problem = belowUsed(live, parsed.data);
  if (problem) return refuse(problem);
  record(live, { kind: 'limits.changed', limits: parsed.data });
  live.input = { ...live.input, config: withLimits(live.input.config, parsed.data, extensions) };
  live.last = live.last && { ...live.last, usdMax: parsed.data.usdPerAttempt };
  const breach = breachOf(live.report.spend, parsed.data, live.last);
  tell(live, { type: 'budget.checked', breach });
  tellRun(live, { type: 'budget.checked', breach });
  tellRun(live, { type: 'steps.extended', stepsMax: parsed.data.steps });
  return accept(extensions.map(({ key }) => `${key} ${limits[key] ?? 'none'} → ${parsed.data[key]}`).join(', '));
}

function withLimits(config: Config, limits: Limits, extensions: Extension[]): Config {
  const perStage = extensions.filter(({ key }) => ['attempts', 'usdPerAttempt', 'wall', 'silence'].includes(key)).map(({ key }) => [key, limits[key]]);
  const stages = Object.entries(config.stages).map(([name, settings]) => [name, { ...settings, ...Object.fromEntries(perStage) }]);
  return { ...config, limits, stages: Object.fromEntries(stages) };
}

function belowUsed(live: Live, wanted: Limits): string | null {
  const { spend, stepsUsed } = live.report;
  if (wanted.steps < stepsUsed) return `limits.steps: ${stepsUsed} are used already, ${wanted.steps} would be below that`;
  if (wanted.usd < spend.usdKnown) return `limits.usd: ${spend.usdKnown} are spent already, ${wanted.usd} would be below that`;
  if (wanted.tokens !== null && wanted.tokens < totalTokens(spend.tokens)) return `limits.tokens: ${totalTokens(spend.tokens)} are used already`;
  if (wanted.deadline < live.activeMs) return `limits.deadline: ${live.activeMs} ms have passed already`;
  return null;
}

function toBoth(live: Live, type: 'person.resumed' | 'person.paused'): void {
  // While a stage is under way it alone decides; the run machine would otherwise pause a second time between stages.
  if (live.stage && live.stage.status === 'active') tell(live, { type });
  else tellRun(live, { type });
}

function bounded(text: string): string {
  return text.slice(0, textLengthMax).trim();
}

function accept(detail: string): Answer {
  return { accepted: true, detail };
}

function refuse(detail: string): Answer {
  return { accepted: false, detail };
}
