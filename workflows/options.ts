// Owns timeouts, heartbeats and retries of every activity, and the id that replay checks: `<stage>-<step>-<attempt>-<act>`.
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../machines/contract/activities.js';
import type { RunInput } from '../machines/contract/run-input.js';
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

/** The activities of a run for one act, with the id and the summary that a person reads in Temporal's UI; `soon`: it may not take long. */
export function act(name: keyof Activities, run: RunInput, place: { id: string; summary: string; soon?: boolean }): Activities {
  const options: ActivityOptions = {
    activityId: `${place.id}-${name}`,
    summary: place.summary,
    taskQueue: hostQueue(run.hostId),
    heartbeatTimeout: run.heartbeatMs,
    startToCloseTimeout: timeLimitMs(name, run),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { ...retry, maximumAttempts: place.soon ? cancelledTriesMax : triesMax },
  };
  return proxyActivities<Activities>(options);
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
