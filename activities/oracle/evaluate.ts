// Owns one evaluation: a fresh, read-only evaluator process on a copy, whose card must fit its schema and name the commit it was given. Anything else is no verdict.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeProblem } from '../../machines/contract/attempt.js';
import { blockingFindings, type Card, cardSchema } from '../../machines/contract/card.js';
import { stateDir } from '../../machines/contract/state-file.js';
import type { Usage } from '../../machines/contract/usage.js';
import { commandAgent } from '../agents/command.js';
import { evaluatorPrompt, promptPartMax } from '../agents/prompt.js';
import { type AgentEnd, runAgent } from '../agents/run.js';
import { editedFiles } from '../git/edits.js';
import { diffText, listTree } from '../git/lists.js';
import { makeRoom } from '../git/room.js';
import { readEnvironment, trustedEnvironment } from '../host/environment.js';
import { removeTree } from '../host/files.js';
import { tokenOf } from './check.js';
import type { Judging } from './judging.js';

/** Evaluator processes per judgement: one, and one more when the first returned no verdict. */
const tries = 2;

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
    if (problem === null) return { card: cardSchema.parse(end.reading.card), problem: '', usage };
    problems.push(problem);
  }
  return { card: null, problem: `the evaluator returned no verdict: ${problems.join('; then: ')}`, usage };
}

async function runEvaluator({ host, act, paths, slot, input }: Judging, prompt: string, time: number): Promise<AgentEnd> {
  const { run, at, candidate } = input;
  const settings = run.config.stages[at.stage];
  const part = `evaluator-${time}`;
  const dir = slot.copy;
  await removeTree(dir);
  const states = [...(await listTree(host.git, paths.engine, candidate.commit)).keys()].filter((path) => path.startsWith(`${stateDir}/`));
  await makeRoom({ git: host.git, engineDir: paths.engine, commit: candidate.commit, dir, drop: states });
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
  const environment = readEnvironment(run.files);
  const passed = Object.fromEntries(Object.entries(environment.passed).filter(([name]) => settings.evaluator.pass.includes(name)));
  const env = trustedEnvironment(environment, { ...passed, ...settings.evaluator.env, ...start.env });
  return runAgent(host, { dir: paths.attempt(act.id, part), token: tokenOf(paths, act, part), cwd: dir, argv: start.argv, env, prompt, limits: settings }, act);
}

async function problemOf({ host, paths, slot, input }: Judging, { outcome, reading }: AgentEnd): Promise<string | null> {
  const ended = outcomeProblem(outcome);
  if (ended) return ended.replace(/^agent/, 'it');
  const edited = await editedFiles({ git: host.git, engineDir: paths.engine, commit: input.candidate.commit, dir: slot.copy });
  const touched = edited.filter((path) => !path.startsWith(`${stateDir}/`));
  if (touched.length > 0) return `it edited the copy that it had to judge (${touched.slice(0, 5).join(', ')})`;
  if (reading.card === undefined) return 'no JSON object that could be a card, or more than one';
  const card = cardSchema.safeParse(reading.card);
  if (!card.success) return `its card is malformed (${card.error.issues[0]?.path.join('.') || 'card'}: ${card.error.issues[0]?.message})`;
  if (card.data.commit !== input.candidate.commit)
    return `its card is about commit ${card.data.commit.slice(0, 10)}, not ${input.candidate.commit.slice(0, 10)}`;
  return null;
}

async function promptFor({ host, paths, input }: Judging, checks: string[]): Promise<string> {
  const { run, candidate, previous } = input;
  const design = await readFile(join(run.files, 'design'), 'utf8');
  const { text, cut } = await diffText(host.git, paths.engine, { from: run.base, to: candidate.commit, bytesMax: promptPartMax.diff });
  const diff = cut ? `${text}\n(cut here: read the files themselves)` : text;
  return evaluatorPrompt({ featureId: run.featureId, commit: candidate.commit, design, diff, checks, previous: previous ? blockingFindings(previous) : [] });
}
