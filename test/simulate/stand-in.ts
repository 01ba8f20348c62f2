// Owns the stand-in for `@temporalio/workflow` and what we use of `@temporalio/common`: the same names, in memory, on a clock that the simulation sets.
// Must never know more than our workflow uses.
import { ContinueAsNew, currentExecution, type Execution, type Info, type Waiter } from './execution.js';
import { CancellationScope } from './scope.js';

export { ActivityFailure, CancellationScope, CancelledFailure, isCancellation, rootCause } from './scope.js';

function begin(): [Execution, number] {
  const execution = currentExecution();
  execution.seq += 1;
  return [execution, execution.seq];
}

/** Waits in the current scope: `ask` sends the command, `onCancel` says what a cancellation does to one who waits. */
function waiting<T>(ask: (waiter: Waiter) => void, onCancel: (error: unknown, reject: Waiter['reject']) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const scope = CancellationScope.current();
    if (scope.consideredCancelled) return scope.onCancel(reject);
    scope.onCancel((error) => onCancel(error, reject));
    ask({ scope, resolve: resolve as Waiter['resolve'], reject });
  });
}

/** As the SDK's. */
export function sleep(ms: number): Promise<void> {
  const [execution, seq] = begin();
  return waiting(
    (waiter) => {
      execution.commands.push({ kind: 'timer', seq, ms });
      execution.timers.set(seq, waiter);
    },
    (error, reject) => {
      if (!execution.timers.delete(seq)) return;
      execution.commands.push({ kind: 'timer.cancel', seq });
      reject(error);
    },
  );
}

/** As the SDK's. */
export function condition(met: () => boolean, ms?: number): Promise<unknown> {
  if (ms === undefined) return until(met);
  const scope = new CancellationScope();
  return scope.run(async () => {
    try {
      return await Promise.race([sleep(ms).then(() => false), until(met).then(() => true)]);
    } finally {
      scope.cancel();
    }
  });
}

function until(met: () => boolean): Promise<void> {
  const [execution, seq] = begin();
  return waiting<void>(
    (waiter) => {
      if (met()) waiter.resolve(undefined);
      else execution.conditions.set(seq, { ...waiter, met });
    },
    (error, reject) => {
      execution.conditions.delete(seq);
      reject(error);
    },
  );
}

type Options = { activityId: string; retry: { maximumAttempts: number } };

/** As the SDK's, for activities that wait until their cancellation is completed. */
export function proxyActivities(options: Options): Record<string, (input: unknown) => Promise<unknown>> {
  return new Proxy({}, { get: (_, name) => (input: unknown) => schedule(String(name), input, options) });
}

function schedule(name: string, input: unknown, { activityId: id, retry }: Options): Promise<unknown> {
  const [execution, seq] = begin();
  return waiting(
    (waiter) => {
      execution.commands.push({ kind: 'activity', seq, name, id, input, maximumAttempts: retry.maximumAttempts });
      execution.activities.set(seq, { ...waiter, name, id });
    },
    () => {
      if (execution.activities.has(seq)) execution.commands.push({ kind: 'activity.cancel', seq });
    },
  );
}

/** As the SDK's. */
export function setHandler({ name }: { name: string }, handler: (...args: unknown[]) => unknown): void {
  const execution = currentExecution();
  execution.handlers.set(name, handler);
  const due = execution.buffered.filter((signal) => signal.name === name);
  execution.buffered = execution.buffered.filter((signal) => signal.name !== name);
  for (const { args } of due) handler(...args);
}

/** As the SDK's. */
export const defineSignal = (name: string): { name: string } => ({ name });
/** As the SDK's. */
export const defineQuery = (name: string): { name: string } => ({ name });
/** As the SDK's. */
export const continueAsNew = async (...args: unknown[]): Promise<never> => {
  throw new ContinueAsNew(args);
};
/** As the SDK's; no handler of ours is asynchronous. */
export const allHandlersFinished = (): boolean => true;
/** As the SDK's. */
export const workflowInfo = (): Info => currentExecution().info;
/** As the SDK's: an event of the history. */
export const upsertSearchAttributes = (shown: unknown[]): void => void currentExecution().commands.push({ kind: 'attributes', shown });
/** As the SDK's: no event of the history. */
export const setCurrentDetails = (): void => undefined;
/** As the SDK's. */
export const ActivityCancellationType = { WAIT_CANCELLATION_COMPLETED: 'WAIT_CANCELLATION_COMPLETED' };
/** As in the SDK's common package. */
export const SearchAttributeType = { KEYWORD: 'KEYWORD' };
/** As in the SDK's common package. */
export const defineSearchAttributeKey = (name: string, type: string): { name: string; type: string } => ({ name, type });
