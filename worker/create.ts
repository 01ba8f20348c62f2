// Owns the two Temporal workers of a host: one for workflows on the shared queue, one for activities on the host's own queue. Pure wiring.
import type { NativeConnection, WorkerInterceptors } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivities, type Host } from '../activities/index.js';
import { hostQueue, workflowQueue } from '../workflows/messages.js';

/** Most activities at once on one host; each is one agent or one judgement. */
const activitiesMax = 40;
/** How long a worker that was asked to stop waits for activities to notice, in ms; agents go on without it. */
const shutdownGraceMs = 200;
/** When the worker stops waiting at all, in ms. */
const shutdownForceMs = 8_000;

/** Where the workers connect and what they run; `bundlePath` is the prebuilt workflow bundle, `build` names this build, `interceptors` surround every act. */
export type WorkerParts = {
  connection: NativeConnection;
  namespace: string;
  host: Host;
  bundlePath: string;
  build: string;
  interceptors: WorkerInterceptors;
};

/** Creates both workers, not yet running. */
export async function createWorkers({ connection, namespace, host, bundlePath, build, interceptors }: WorkerParts): Promise<Worker[]> {
  const common = { connection, namespace, identity: `pdlc-${host.hostId}-${process.pid}-${build.slice(0, 8)}`, shutdownForceTime: shutdownForceMs };
  return Promise.all([
    Worker.create({
      ...common,
      taskQueue: workflowQueue,
      workflowBundle: { codePath: bundlePath },
      stickyQueueScheduleToStartTimeout: 500,
      maxCachedWorkflows: 200,
    }),
    Worker.create({
      ...common,
      taskQueue: hostQueue(host.hostId),
      activities: { ...createActivities(host) },
      interceptors,
      maxConcurrentActivityTaskExecutions: activitiesMax,
      maxHeartbeatThrottleInterval: 1_000,
      defaultHeartbeatThrottleInterval: 1_000,
      shutdownGraceTime: shutdownGraceMs,
    }),
  ]);
}
