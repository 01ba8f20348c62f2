// The loop-run command: takes a feature through its stages, or comes back to the run that is already open.
import type { ConfigFlags } from '../../activities/project/resolve.js';
import { type Report, reportOf } from '../../machines/contract/report.js';
import { isFinal, isWaiting } from '../../machines/contract/run-state.js';
import { nextOf } from '../../machines/contract/state-file.js';
import { connectEarly, type Server } from '../connect.js';
import type { Context } from '../context.js';
import { CliError, unavailable } from '../error.js';
import { type Feature, findFeature } from '../feature.js';
import { finish } from '../finish.js';
import { followRun } from '../follow.js';
import { limitsText } from '../render.js';
import { type FoundRun, findRun, readLiveReport, uiUrlOf } from '../run-handle.js';
import { reportWithoutRun } from '../run-json.js';
import { damageOf, hasRuns, latestLedger } from '../runs-on-disk.js';
import { type Prepared, prepareRun, type Starting, type StartOptions, startRun } from '../start.js';

/** Options of loop-run; `given`: some were given that only a new run can obey; `wait` false ends at a usage limit instead of waiting for its reset. */
export type LoopRunOptions = {
  given?: boolean;
  json: boolean;
  wait: boolean;
  honor: boolean;
  fresh: boolean;
  flags: ConfigFlags;
};

/** Runs the command; resolves with the exit code of the state in which the run waits or ended. */
export async function loopRun(context: Context, id: string, options: LoopRunOptions): Promise<number> {
  const seen = await findFeature(context, id, { fresh: options.fresh });
  const seenNext = nextOf(seen.state);
  // A feature that is done or blocked by its file needs no server, unless a run of it may be open.
  const ranHere = hasRuns(context.home, { project: seen.repo.project, id });
  if (seenNext.kind !== 'stage' && !ranHere) return finish(context, withoutRun(seen, seenNext), { json: options.json, uiUrl: null });
  const start = { entry: 'work', flags: options.flags, honor: options.honor, fresh: options.fresh } as const;
  // What never ran here is read while the server is reached; whether it ran all the same, the start itself tells.
  const preparing = seenNext.kind === 'stage' && !ranHere ? prepareRun(context, seen, { ...start, stage: seenNext.stage }) : null;
  preparing?.catch(() => undefined); // heard below, once there is a server to close
  const server = await connectEarly(context);
  try {
    const first = preparing && (await startPrepared(context, { server, feature: seen, options, prepared: await preparing, isFirst: true }));
    if (first !== null) return first;
    const run = await findRun(server, seen.repo.project, id);
    if (run?.isOpen) return await attach(context, { server, run, options });
    // A run that ended meanwhile has moved the branch since the first look.
    const feature = run ? await findFeature(context, id, { fresh: options.fresh }) : seen;
    const next = nextOf(feature.state);
    if (next.kind !== 'stage')
      return finish(context, await endOf(context, { feature, next, server, run }), { json: options.json, uiUrl: run && uiUrlOf(server, run.workflowId) });
    return await begin(context, { server, feature, options, start: { ...start, stage: next.stage } });
  } finally {
    await server.close();
  }
}

/** Starts a run and follows it; a run that another command started in the same moment is attached to. */
export async function begin(
  context: Context,
  { server, feature, options, start }: { server: Server; feature: Feature; options: Pick<LoopRunOptions, 'json' | 'wait'>; start: StartOptions },
): Promise<number> {
  const prepared = await prepareRun(context, feature, start);
  const exitCode = await startPrepared(context, { server, feature, options, prepared, isFirst: false });
  if (exitCode === null) throw new CliError(1, `${feature.id}: only a first run may be refused for an earlier one`);
  return exitCode;
}

type Beginning = Omit<Starting, 'prepared'> & { options: Pick<LoopRunOptions, 'json' | 'wait' | 'given'>; prepared: Prepared };

/** The exit code at the run's next stop; null when a run that was to be the first one was not, and what was read is old. */
async function startPrepared(context: Context, { server, feature, options, prepared, isFirst }: Beginning): Promise<number | null> {
  if (!prepared.ok) return finish(context, reportWithoutRun(feature, { state: 'blocked', reason: prepared.reason }), { json: options.json, uiUrl: null });
  const run = await startRun(context, { server, feature, prepared, isFirst });
  if (run.attached && !run.isOpen && isFirst) return null;
  if (run.attached) return attach(context, { server, run, options });
  announce(context, prepared, uiUrlOf(server, run.workflowId));
  await server.polled;
  return follow(context, { server, run, options });
}

function announce(context: Context, { draft, notices }: Extract<Prepared, { ok: true }>, url: string | null): void {
  const { featureId, startStage, config, configSource } = draft;
  const agent = config.stages[startStage].agent.command.join(' ');
  context.err(`${featureId}: ${startStage} to review with ${agent}; checks ${Object.keys(config.checks).join(', ') || 'none'} (${configSource})`);
  context.err(`  limits: ${limitsText(config.limits)}`);
  for (const notice of notices) context.err(`  note: ${notice}`);
  if (url) context.err(`  ${url}`);
}

async function attach(
  context: Context,
  { server, run, options }: { server: Server; run: FoundRun; options: Pick<LoopRunOptions, 'json' | 'wait' | 'given'> },
): Promise<number> {
  await server.polled;
  const report = await readLiveReport(server, run);
  if (report && isWaiting(report.state))
    context.err(`${report.featureId}: this run is open and waits (${report.state}); it goes on only by one of the commands below`);
  else context.err('attached to the run of this feature that is already open');
  if (options.given)
    context.err(
      '  note: the options of this call are ignored, an open run keeps what it was started with; raise limits with pdlc extend, or abort it and start anew',
    );
  return follow(context, { server, run, options });
}

/** Follows a run to its next stop and prints it. */
export async function follow(
  context: Context,
  { server, run, options }: { server: Server; run: FoundRun; options: Pick<LoopRunOptions, 'json' | 'wait'> },
): Promise<number> {
  const report = await followRun(context, { server, run, options });
  return finish(context, report, { json: options.json, uiUrl: uiUrlOf(server, run.workflowId) });
}

/** A feature that this host's latest run took to where its branch is now ended as that run did, unverified included; 69 when that cannot be known. */
export async function endOf(
  context: Context,
  { feature, next, server, run }: { feature: Feature; next: ReturnType<typeof nextOf>; server: Server; run: FoundRun | null },
): Promise<Report> {
  const ledger = next.kind === 'done' ? await latestLedger(context.home, { project: feature.repo.project, id: feature.id }) : null;
  const live = next.kind === 'done' && run && ledger?.problem !== null ? await readLiveReport(server, run) : null;
  // The branch alone does not say whether it was verified; a damaged ledger must not turn into a pass.
  if (ledger && damageOf(ledger) && !live) throw unavailable(`${ledger.file}: ${ledger.problem}; ask the run's history with: pdlc state rebuild ${feature.id}`);
  const report = live ?? (ledger && reportOf(ledger.entries));
  return report && isFinal(report.state) && report.head === feature.tip ? report : withoutRun(feature, next);
}

function withoutRun(feature: Feature, next: ReturnType<typeof nextOf>): Report {
  if (next.kind === 'stage') throw new CliError(1, 'a stage needs a run');
  return reportWithoutRun(feature, next.kind === 'done' ? { state: 'review_done', reason: null } : { state: 'blocked', reason: next.reason });
}
