// Owns the boundary of activities: the one constructor that the worker calls. Nothing else of this folder is for workers.
import type { Activities, ForRun } from '../machines/contract/activities.js';
import { engineProblem } from '../machines/contract/engine.js';
import { agent } from './agent.js';
import { capture } from './capture.js';
import { type Act, withAct } from './host/act.js';
import type { Host } from './host/host.js';
import { judge } from './judge.js';
import { prepare } from './prepare.js';
import { publish } from './publish.js';
import { release } from './release.js';

export { createGit } from './git/git.js';
export type { Host } from './host/host.js';
export { openNursery } from './process/nursery.js';

/** The activities of one host, each wrapped with heartbeats and typed failures; none touches a run of a newer engine's format. */
export function createActivities(host: Host): Activities {
  return {
    prepare: forRun((input, act) => prepare(host, input, act)),
    agent: forRun((input, act) => agent(host, input, act)),
    capture: forRun((input) => capture(host, input)),
    judge: forRun((input, act) => judge(host, input, act)),
    publish: forRun((input) => publish(host, input)),
    release: forRun((input) => release(host, input)),
  };
}

function forRun<Input extends ForRun, Result>(work: (input: Input, act: Act) => Promise<Result>): (input: Input) => Promise<Result> {
  return withAct(async (input: Input, act) => {
    const problem = engineProblem(input.run.engine);
    if (!problem) return work(input, act);
    act.beat({ doing: problem });
    return untilStopped(act.signal);
  });
}

/** Does nothing until the worker goes: a failure would be held against the run, and a second agent might start beside the one that works. */
function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
