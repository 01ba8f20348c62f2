// Owns proving the ground before the first cent: agents can be started, setup works, and every check says on the untouched tip what the stage at hand expects.
import type { PrepareInput } from '../../machines/contract/activities.js';
import { type CheckResult, describeCheck, isRed } from '../../machines/contract/check.js';
import type { Ground } from '../../machines/contract/verdict.js';
import { programProblem } from '../agents/program.js';
import { readEnvironment } from '../host/environment.js';
import { type CheckPlace, runCheck } from './check.js';
import { green, greenOrEmpty, type Wanted } from './checks.js';
import { buildRoom } from './room.js';

/** Longest reason of a failed ground, in characters. */
const reasonLengthMax = 2_000;

type Failed = Extract<Ground, { kind: 'failed' }>;

/** Proves the ground for a run's first stage, in a room at `tip`. */
export async function proveGround(place: CheckPlace, input: PrepareInput): Promise<Ground> {
  const { run, tip } = input;
  const missing = missingAgent(place, input);
  if (missing) return failed('agent_missing', missing, []);
  const built = await buildRoom(place, { commit: tip, part: 'ground' }, run.config.setup);
  if (!built.ok) return failed('setup_failed', `${built.reason}\n${built.tail}`.trim(), []);
  const results: CheckResult[] = [];
  for (const [name, command] of Object.entries(run.config.checks)) {
    if (!isJudged(name, input)) continue;
    const result = await runCheck(place, { name, command, part: 'candidate' });
    results.push(result);
    const fault = faultOf(result, input);
    if (fault) return failed(fault, `${describeCheck(result)} on the untouched base; expected ${wantedFor(name, input).text}\n${result.tail}`.trim(), results);
  }
  return { kind: 'proved', checks: results };
}

function failed(fault: Failed['fault'], reason: string, checks: CheckResult[]): Failed {
  return { kind: 'failed', fault, reason: `${fault}: ${reason}`.slice(0, reasonLengthMax), checks };
}

function faultOf(result: CheckResult, input: PrepareInput): Failed['fault'] | null {
  if (wantedFor(result.name, input).met(result)) return null;
  if (result.kind === 'not_run') return 'check_not_run';
  const isGreenBeforeImplement = input.at.stage === 'implement' && result.name === 'unit' && result.kind === 'passed';
  if (!isGreenBeforeImplement) return 'baseline_red';
  // A person who resumes has done the work; what is green then is theirs, and is judged as such.
  return input.entry === 'judge' ? null : 'already_green';
}

const red: Wanted = { text: 'unit to be red, since implement has to turn it green', met: isRed };

function wantedFor(name: string, { at }: PrepareInput): Wanted {
  if (at.stage === 'implement' && name === 'unit') return red;
  return at.stage === 'tdd' ? greenOrEmpty : green;
}

/** Before implement, what only the finished feature can satisfy is not asked. */
function isJudged(name: string, { at }: PrepareInput): boolean {
  return at.stage !== 'implement' || !['coverage', 'e2e'].includes(name);
}

function missingAgent({ files, paths }: CheckPlace, { run, at }: PrepareInput): string | null {
  const path = readEnvironment(files).base.PATH ?? '';
  const settings = run.config.stages[at.stage];
  const programs = at.stage === 'review' ? [settings.evaluator, settings.agent] : [settings.agent];
  for (const { command } of programs) {
    const problem = programProblem(command[0] ?? '', { cwd: paths.tree, path });
    if (problem) return problem;
  }
  return null;
}
