// The agent activity: one fresh agent process for one attempt, started once whatever happens to this worker, and the capture of what it left in the tree.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentInput, AgentResult } from '../machines/contract/activities.js';
import { isCharged } from '../machines/contract/attempt.js';
import { commandAgent } from './agents/command.js';
import { workPrompt } from './agents/prompt.js';
import { runAgent } from './agents/run.js';
import { capture } from './capture.js';
import { requireOwnTree } from './git/agent-tree.js';
import { restorePaths } from './git/checkout.js';
import type { Act } from './host/act.js';
import { agentEnvironment, readEnvironment } from './host/environment.js';
import { type Host, pathsOf } from './host/host.js';
import { tokenOf } from './oracle/check.js';
import { isIntended } from './process/control-dir.js';

/**
 * Runs one attempt to its end and captures its work. Safe to repeat because the attempt's control directory decides (finished is read, running is attached to,
 * lost is said) and a repeated capture is the same commit. A capture that fails is left to the capture activity: it must not start a paid agent again.
 */
export async function agent(host: Host, input: AgentInput, act: Act): Promise<AgentResult> {
  const { run, at, role } = input;
  const paths = pathsOf(host, input);
  const settings = run.config.stages[at.stage];
  const dir = paths.attempt(act.id);
  await requireOwnTree(paths.tree);
  // Once the attempt is written down its agent may be at work, and its tree is nobody else's.
  if (input.restore && !(await isIntended(dir))) {
    await restorePaths({ git: host.git, engineDir: paths.engine, tree: paths.tree, ...input.restore });
  }
  const start = commandAgent.start({
    command: settings.agent,
    role,
    featureId: run.featureId,
    stage: at.stage,
    step: at.step,
    attempt: at.attempt,
    model: settings.model,
    commit: null,
  });
  const env = agentEnvironment(readEnvironment(run.files), settings.agent, start.env);
  const prompt = await promptOf(input);
  const { outcome, swept } = await runAgent(
    host,
    { dir, token: tokenOf(paths, act, 'agent'), cwd: paths.tree, argv: start.argv, env, prompt, limits: settings },
    act,
  );
  const captured = isCharged(outcome) ? await capture(host, { ...input, author: 'agent', ...input.work }).catch(() => null) : null;
  return { outcome, swept, capture: captured };
}

async function promptOf({ run, at, rejection, notes, last }: AgentInput): Promise<string> {
  const design = await readFile(join(run.files, 'design'), 'utf8');
  return workPrompt({ featureId: run.featureId, stage: at.stage, design, checks: run.config.checks, rejection, notes, last });
}
