// Owns one evaluation: a fresh, read-only evaluator process on a copy, whose card must fit its schema and name the commit it was given. Anything else is no verdict.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeProblem } from '../../machines/contract/attempt.js';
import { blockingFindings, type Card, cardSchema } from '../../machines/contract/card.js';
import { PdlcError } from '../../machines/contract/failure.js';
import { stateDir } from '../../machines/contract/state-file.js';
import type { Usage } from '../../machines/contract/usage.js';
import { commandAgent } from '../agents/command.js';
import { evaluatorPrompt, promptPartMax } from '../agents/prompt.js';
import { type AgentEnd, runAgent } from '../agents/run.js';
import { editedFiles } from '../git/edits.js';
import { copyIndex } from '../git/index-file.js';
import { diffText } from '../git/lists.js';
import { makeRoom } from '../git/room.js';
import { agentEnvironment, readEnvironment } from '../host/environment.js';
import { removeTree } from '../host/files.js';
import { isIntended, setAside } from '../process/control-dir.js';
import { tokenOf } from './check.js';
import type { Judging } from './judging.js';
import type { RoomSlot } from './slot.js';

/** Evaluator processes per judgement: one, and one more when the first returned no verdict. */
const tries = 2;
/** Longest description of what is wrong with a card, in characters; it may quote the evaluator. */
const problemLengthMax = 200;

/** The card, or why there is none; one usage per process. */
export type Evaluation = { card: Card | null; problem: string; usage: Usage[] };

/** Has the candidate evaluated; `checks` are the results that the evaluator is told. */
export async function evaluate(judging: Judging, checks: string[]): Promise<Evaluation> {
  const usage: Usage[] = [];
  const problems: string[] = [];
  const prompt = await promptFor(judging, checks);
  for (let time = 1; time <= tries; time += 1) {
    const end = await runEvaluator(judging, prompt, time);
    usage.push(end.outcome.usage);
    const problem = (await problemOf(judging, end)) ?? null;
    if (problem !== null && end.disk) await refuseDisk(judging, { time, problem, disk: end.disk });
    if (problem === null) return { card: cardSchema.parse(end.reading.card), problem: '', usage };
    problems.push(problem);
  }
  return {
    card: null,
    problem: `the evaluator returned no verdict: ${[...new Set(problems)].join('; then: ')}${problems.length > new Set(problems).size ? ' (twice)' : ''}`,
    usage,
  };
}

/** An evaluator that could not write is no evaluator: it starts again once its disk takes writes. */
async function refuseDisk({ paths, act }: Judging, { time, problem, disk }: { time: number; problem: string; disk: string }): Promise<never> {
  await setAside(paths.attempt(act.id, partOf(time)));
  throw new PdlcError('disk_failed', `the evaluator ran on a disk that took no writes (${problem}), and starts again: ${disk}`);
}

const partOf = (time: number): string => `evaluator-${time}`;

async function runEvaluator(judging: Judging, prompt: string, time: number): Promise<AgentEnd> {
  const { host, act, paths, slot, input } = judging;
  const { run, at, candidate } = input;
  const settings = run.config.stages[at.stage];
  const part = partOf(time);
  const dir = paths.attempt(act.id, part);
  if (!(await isIntended(dir))) await makeCopy(judging);
  const request = {
    command: settings.evaluator,
    role: 'evaluator',
    featureId: run.featureId,
    stage: at.stage,
    step: at.step,
    attempt: time,
    model: settings.model,
    commit: candidate.commit,
  } as const;
  const start = commandAgent.start(request);
  const env = agentEnvironment(readEnvironment(run.files), settings.evaluator, start.env);
  return runAgent(host, { dir, token: tokenOf(paths, act, part), cwd: slot.copy, argv: start.argv, env, prompt, limits: settings }, act);
}

async function makeCopy({ host, paths, slot, input }: Judging): Promise<void> {
  await removeTree(slot.copy);
  await makeRoom({ git: host.git, engineDir: paths.engine, commit: input.candidate.commit, dir: slot.copy, drop: [stateDir] });
  await copyIndex(join(slot.copy, '.git', 'index'), indexOf(slot));
}

/** The index of the copy as it was made, where the evaluator cannot reach it. */
function indexOf({ dir }: RoomSlot): string {
  return join(dir, 'copy.index');
}

async function problemOf({ host, paths, slot, input }: Judging, { outcome, reading }: AgentEnd): Promise<string | null> {
  const ended = outcomeProblem(outcome);
  if (ended) return ended.replace(/^agent/, 'it');
  const edited = await editedFiles({ git: host.git, engineDir: paths.engine, indexFile: indexOf(slot), dir: slot.copy });
  const touched = edited.filter((path) => !path.startsWith(`${stateDir}/`));
  if (touched.length > 0) return `it edited the copy that it had to judge (${touched.slice(0, 5).join(', ')})`;
  return cardProblem(reading.card, input.candidate.commit);
}

/** Why this is no verdict on a commit, in bounded words, or null for an exact card. */
export function cardProblem(found: unknown, commit: string): string | null {
  if (found === undefined) return 'no JSON object that could be a card, or more than one';
  const card = cardSchema.safeParse(found);
  if (!card.success)
    return `its card is malformed (${card.error.issues[0]?.path.join('.') || 'card'}: ${card.error.issues[0]?.message.slice(0, problemLengthMax)})`;
  return card.data.commit === commit ? null : `its card is about commit ${card.data.commit.slice(0, 10)}, not ${commit.slice(0, 10)}`;
}

async function promptFor({ host, paths, input }: Judging, checks: string[]): Promise<string> {
  const { run, candidate, previous } = input;
  const design = await readFile(join(run.files, 'design'), 'utf8');
  const { text, cut } = await diffText(host.git, paths.engine, { from: run.base, to: candidate.commit, bytesMax: promptPartMax.diff });
  const diff = cut ? `${text}\n(cut here: read the files themselves)` : text;
  return evaluatorPrompt({ featureId: run.featureId, commit: candidate.commit, design, diff, checks, previous: previous ? blockingFindings(previous) : [] });
}
