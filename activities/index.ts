// Owns the boundary of activities: the one constructor that the worker calls. Nothing else of this folder is for workers.
import type { Activities, ForRun } from '../machines/contract/activities.js';
import { engineProblem } from '../machines/contract/engine.js';
import { agent } from './agent.js';
import { capture } from './capture.js';
import { type Act, withAct } from './host/act.js';
import { withClock } from './host/clock.js';
import type { Host } from './host/host.js';
import { judge } from './judge.js';
import { prepare } from './prepare.js';
import { publish } from './publish.js';
import { release } from './release.js';

export { createGit } from './git/git.js';
export type { Host } from './host/host.js';
export { openNursery } from './process/nursery.js';

/** How often an act that keeps failing is tried before a person is asked: two minutes. */
const triesMax = 12;
/** The same for the act of an agent, which may be running meanwhile and is attached to again. */
const agentTriesMax = 100;

/** The activities of one host, each wrapped with heartbeats, typed failures and the host's clock; none touches a run of a newer engine's format. */
export function createActivities(host: Host): Activities {
  const act = <Input extends ForRun, Result extends object>(work: Work<Input, Result>, tries = triesMax) =>
    withAct(
      withClock((input: Input, act) => ofOurFormat(work, { host, input, act })),
      { triesMax: tries, disks: ({ run }) => [run.files, run.gitDir] },
    );
  return {
    prepare: act(prepare),
    agent: act(agent, agentTriesMax),
    capture: act(capture),
    judge: act(judge),
    publish: act(publish),
    release: act(release),
    clock: act(async () => ({})),
  };
}

type Work<Input, Result> = (host: Host, input: Input, act: Act) => Promise<Result>;

async function ofOurFormat<Input extends ForRun, Result>(
  work: Work<Input, Result>,
  { host, input, act }: { host: Host; input: Input; act: Act },
): Promise<Result> {
  const problem = engineProblem(input.run.engine);
  if (!problem) return work(host, input, act);
  act.beat({ doing: problem });
  return untilStopped(act.signal);
}

/** Does nothing until the worker goes: a failure would be held against the run, and a second agent might start beside the one that works. */
function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
