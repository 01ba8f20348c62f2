// Owns starting a run: everything is read and checked first, then one workflow is started, or the one that is already open is found.
import type { ConfigFlags } from '../activities/project/resolve.js';
import { engine } from '../machines/contract/engine.js';
import { workflowIdOf } from '../machines/contract/feature-id.js';
import { type RunInput, runInputSchema } from '../machines/contract/run-input.js';
import type { Stage } from '../machines/contract/stage.js';
import { featureIdAttribute, featureRunType, stageAttribute, stateAttribute, workflowQueue } from '../workflows/messages.js';
import { loadConfig } from './config.js';
import { hostFacts, type Server } from './connect.js';
import type { Context } from './context.js';
import { type Feature, requireBranch } from './feature.js';
import { dropInputs, readDesign, writeInputs } from './inputs.js';
import { type FoundRun, findRun } from './run-handle.js';

/** How a run is to be started: `entry` judge has the tip judged before any agent; `fresh` begins at HEAD and saves the old tip. */
export type StartOptions = { stage: Stage; entry: 'work' | 'judge'; flags: ConfigFlags; honor: boolean; fresh: boolean };

/** A run ready to start, whose inputs are not written yet, or the reason why it is blocked before it begins. */
export type Prepared = { ok: true; draft: Omit<RunInput, 'files'>; design: Buffer; notices: string[] } | { ok: false; reason: string };

/** Reads and checks everything a run needs; nothing is started and nothing in the repository changes. */
export async function prepareRun(context: Context, feature: Feature, options: StartOptions): Promise<Prepared> {
  const { stage, entry, flags, honor, fresh } = options;
  requireBranch(feature);
  const base = fresh ? feature.repo.head : await baseOf(context, feature);
  const [{ config, source, notices }, design] = await Promise.all([loadConfig(context, feature, { base, flags, honor }), readDesign(context, feature)]);
  if (!design.ok) return { ok: false, reason: design.reason };
  const { id: featureId, repo, branch, tip } = feature;
  const draft: Omit<RunInput, 'files'> = {
    featureId,
    project: repo.project,
    repo: repo.top,
    gitDir: repo.commonDir,
    branch,
    base,
    tip: fresh ? base : (tip ?? base),
    branchTip: tip,
    saveTipAs: fresh && tip ? `refs/pdlc/saved/${featureId}/${tip.slice(0, 10)}` : null,
    startStage: stage,
    entry,
    design: { path: design.path, digest: design.digest },
    config,
    configSource: source,
    honor,
    ...hostFacts(context),
    engine,
  };
  const kept = draft.saveTipAs ? [`${branch} begins anew; its old tip is kept as ${draft.saveTipAs}`] : [];
  return { ok: true, draft, design: design.bytes, notices: [...kept, ...notices] };
}

/** What `startRun` starts: `isFirst` when no run of the feature was known when it was prepared, open or closed. */
export type Starting = { server: Server; feature: Feature; prepared: Extract<Prepared, { ok: true }>; isFirst: boolean };

/** Writes the inputs of a prepared run and starts its workflow; `attached` when it was not started because another one is open, or, for a first one, because there was one after all. */
export async function startRun(context: Context, { server, feature, prepared, isFirst }: Starting): Promise<FoundRun & { attached: boolean }> {
  const { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } = await import('./temporal.js');
  const { draft, design } = prepared;
  const files = writeInputs(context, feature, { design, config: draft.config });
  const workflowId = workflowIdOf(draft.project, draft.featureId);
  try {
    const input = runInputSchema.parse({ ...draft, files });
    const { limits, stages } = input.config;
    const handle = await server.client.workflow.start(featureRunType, {
      args: [input],
      workflowId,
      taskQueue: workflowQueue,
      workflowIdConflictPolicy: 'FAIL',
      // What was read before a run that has ended since is old: it must not start another one.
      workflowIdReusePolicy: isFirst ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
      staticSummary: `${input.featureId}: tdd → implement → review, at most ${limits.steps} steps`.slice(0, 190),
      staticDetails: `Repository \`${input.repo}\`, branch \`${input.branch}\`, base \`${input.base}\`\n\nDesign \`${input.design.path}\`\n\nAgent \`${stages[input.startStage].agent.command.join(' ').slice(0, 300)}\``,
      memo: { repo: input.repo, branch: input.branch, base: input.base, limits, configSource: input.configSource, engine: engine.version },
      typedSearchAttributes: new TypedSearchAttributes([
        { key: featureIdAttribute, value: input.featureId },
        { key: stageAttribute, value: input.startStage },
        { key: stateAttribute, value: 'preparing' },
      ]),
    });
    return { handle, workflowId, runId: handle.firstExecutionRunId, isOpen: true, status: 'RUNNING', attached: false };
  } catch (error) {
    dropInputs(files);
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const run = await findRun(server, draft.project, draft.featureId);
    if (!run) throw error;
    return { ...run, attached: true };
  }
}

/** The commit that the branch grew from: recorded in its state commits, else where it left HEAD's history, else HEAD. */
async function baseOf(context: Context, { repo, tip }: Feature): Promise<string> {
  if (tip === null) return repo.head;
  const { git } = context;
  const { stdout } = await git(['log', '--first-parent', '-n', '50', '--format=%(trailers:key=Pdlc-Base,valueonly)', tip], { gitDir: repo.commonDir });
  const recorded = stdout.split('\n').find((line) => /^[0-9a-f]{40,64}$/.test(line));
  if (recorded && (await isCommit(context, repo.commonDir, recorded))) return recorded;
  const merge = await git(['merge-base', 'HEAD', tip], { gitDir: repo.commonDir, okCodes: [0, 1] });
  return merge.code === 0 ? merge.stdout.trim() : repo.head;
}

async function isCommit({ git }: Context, gitDir: string, id: string): Promise<boolean> {
  return (await git(['cat-file', '-e', `${id}^{commit}`], { gitDir, okCodes: [0, 1, 128] })).code === 0;
}
