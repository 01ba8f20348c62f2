// The resume command: goes on with a run that waits, or opens one at the step that the state file names. What a person changed is judged before any agent starts.
import { nextOf, stateUnblocked } from '../../machines/contract/state-file.js';
import { resumeSignal } from '../../workflows/messages.js';
import { ask } from '../ask.js';
import { connect, type Server } from '../connect.js';
import type { Context } from '../context.js';
import { CliError, usageError } from '../error.js';
import { type Feature, findFeature } from '../feature.js';
import { finish } from '../finish.js';
import { type FoundRun, findRun } from '../run-handle.js';
import { begin, endOf, follow } from './loop-run.js';

/** Options of resume; `detach` returns as soon as the run has accepted. */
export type ResumeOptions = { json: boolean; reseal: boolean; detach: boolean };

/** Resumes and follows; the exit code is the state's, or 0 when detached. */
export async function resume(context: Context, id: string, options: ResumeOptions): Promise<number> {
  const feature = await findFeature(context, id);
  const server = await connect(context);
  try {
    const run = await findRun(server, feature.repo.project, id);
    if (run?.isOpen) return await resumeOpen(context, { server, run, options });
    // A run that ended meanwhile has moved the branch since the first look.
    return await reopen(context, { server, run, feature: run ? await findFeature(context, id) : feature, options });
  } finally {
    await server.close();
  }
}

async function resumeOpen(context: Context, { server, run, options }: { server: Server; run: FoundRun; options: ResumeOptions }): Promise<number> {
  const answer = await ask(server, run, { signal: resumeSignal, payload: { reseal: options.reseal } });
  if (answer.kind === 'sent') context.err('resume: sent; no worker has answered yet, it takes effect when one is back');
  else context.err(`resume: ${answer.command.accepted ? '' : 'refused: '}${answer.command.detail}`);
  if (options.detach) return answer.kind === 'answered' && !answer.command.accepted ? 2 : 0;
  return follow(context, { server, run, options: { json: options.json, wait: true } });
}

async function reopen(
  context: Context,
  { server, run, feature, options }: { server: Server; run: FoundRun | null; feature: Feature; options: ResumeOptions },
): Promise<number> {
  const { state } = feature;
  const next = nextOf(state.ok ? { ok: true, state: stateUnblocked(state.state) } : state);
  if (next.kind !== 'stage') return finish(context, await endOf(context, { feature, next, server, run }), { json: options.json, uiUrl: null });
  if (options.detach) throw usageError(`${feature.id}: there is no open run to resume; start one with: pdlc loop-run ${feature.id}`);
  if (options.reseal) throw new CliError(64, `${feature.id}: --reseal needs an open run; commit the tests on ${feature.branch} instead`);
  context.err(`${feature.id}: no run is open, one is opened at ${next.stage}`);
  return begin(context, {
    server,
    feature,
    options: { json: options.json, wait: true },
    start: { stage: next.stage, entry: 'judge', flags: {}, honor: false, fresh: false },
  });
}
