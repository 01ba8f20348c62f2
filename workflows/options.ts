// Owns timeouts, heartbeats and retries of every activity, and the id that replay checks: `<stage>-<step>-<attempt>-<act>`.
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities, Clocked, ForRun } from '../machines/contract/activities.js';
import type { RunInput } from '../machines/contract/run-input.js';
import { hearClock } from './clock.js';
import type { Live } from './live.js';
import { hostQueue } from './messages.js';

/** Time that an act gets beyond what its own processes are allowed, in ms. */
const slackMs = 600_000;
/** Longest quick act (capture, publish, release), in ms; large repositories on slow disks need minutes, never more. */
const quickActMs = 900_000;
/** Longest setup and ground check, or judgement, in ms, as a last bound: each command inside has its own time limit. */
const judgingMsMax = 6 * 3_600_000;

const retry = { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 15_000 } as const;
/** Most tries of an act: a night. Only a disk that takes no writes is waited for that long; any other failure is final sooner, which the activity says itself. */
const triesMax = 2_000;
/** The same at the end of a cancelled run, which nobody wants to wait for. */
const cancelledTriesMax = 12;

type Does = (input: ForRun) => Promise<object & Partial<Clocked>>;

/** One act of a run, with the id and the summary that a person reads in Temporal's UI; `soon`: it may not take long. What the host's clock says about it is told to the run's clock. */
export function act<Name extends keyof Activities>(name: Name, live: Live, place: { id: string; summary: string; soon?: boolean }): Pick<Activities, Name> {
  const run = live.input;
  const options: ActivityOptions = {
    activityId: `${place.id}-${name}`,
    summary: place.summary,
    taskQueue: hostQueue(run.hostId),
    heartbeatTimeout: run.heartbeatMs,
    startToCloseTimeout: timeLimitMs(name, run),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...retry, maximumAttempts: place.soon ? cancelledTriesMax : triesMax },
  };
  const does: Does = proxyActivities<Record<keyof Activities, Does>>(options)[name as keyof Activities];
  const heard = async (input: ForRun): Promise<object> => {
    const askedMs = Date.now();
    const { clock, ...result } = await does(input);
    // Results in the history of an older build have none.
    if (clock) live.clock = hearClock(live.clock, clock, { askedMs, atMs: Date.now() });
    return result;
  };
  return { [name]: heard } as unknown as Pick<Activities, Name>; // the port says which result belongs to which name
}

function timeLimitMs(name: keyof Activities, run: RunInput): number {
  switch (name) {
    case 'agent':
      return Math.max(...Object.values(run.config.stages).map((stage) => stage.wall)) + slackMs;
    case 'prepare':
    case 'judge':
      return judgingMsMax;
    default:
      return quickActMs;
  }
}
