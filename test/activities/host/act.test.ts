// Guarantees around every activity: it beats while it works, tells a worker that leaves from a person who cancels, and fails only with typed failures.
import { once } from 'node:events';
import { asyncLocalStorage, CompleteAsyncError, Context, type Info } from '@temporalio/activity';
import { ActivityCancellationDetails, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { type Act, withAct } from '../../../activities/host/act.js';
import { leaveRunning } from '../../../activities/process/watch.js';
import { PdlcError } from '../../../machines/contract/failure.js';

type Details = ConstructorParameters<typeof ActivityCancellationDetails>[0];

/** Runs work as an activity of a worker that cancels it as asked once the work calls `cancel`; `runStatus` is what the server says of its run. */
function runAs<T>(work: (act: Act, cancel: (details: Details) => void) => Promise<T>, runStatus = 'RUNNING'): { result: Promise<T>; beats: unknown[] } {
  const beats: unknown[] = [];
  const controller = new AbortController();
  const reason = new CancelledFailure('CANCELLED');
  const details: { details?: ActivityCancellationDetails } = {};
  const never = new Promise<never>(() => {});
  // A context as the worker makes it; the parts that no activity of ours uses are left empty.
  const info = { activityId: 'tdd-1-1-judge', workflowExecution: { workflowId: 'w', runId: 'r' } } as Info;
  const client = { workflow: { getHandle: () => ({ describe: async () => ({ status: { name: runStatus } }) }) } };
  const rest = [client, undefined, undefined] as unknown as [Context['client'], Context['log'], Context['metricMeter']];
  const context = new Context(info, never, controller.signal, (beat) => beats.push(beat), ...rest, details);
  const cancel = (given: Details) => {
    details.details = new ActivityCancellationDetails(given);
    controller.abort(reason);
  };
  const result = asyncLocalStorage.run(context, () => withAct((_: null, act) => work(act, cancel), { triesMax: 3, disks: () => [] })(null));
  return { result, beats };
}

const untilAborted = ({ signal }: Act): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

test('work gets the id of its activity; its latest beat is sent again and again, and work that is over at once sends none', async () => {
  const quick = runAs(async ({ id, beat }) => {
    beat({ doing: 'check unit' });
    return id;
  });
  expect([await quick.result, quick.beats]).toEqual(['tdd-1-1-judge', []]);
  const go = new AbortController();
  const slow = runAs(async ({ beat }) => {
    for (const doing of ['setup', 'check unit']) beat({ doing });
    await once(go.signal, 'abort');
  });
  await expect.poll(() => slow.beats.length, { timeout: 10_000 }).toBeGreaterThan(1);
  go.abort();
  await slow.result;
  expect(new Set(slow.beats.map((beat) => JSON.stringify(beat)))).toEqual(new Set(['{"doing":"check unit"}']));
});

describe('cancellation', () => {
  test.each<[string, Details]>([
    ['a person cancels', { cancelRequested: true }],
    ['the workflow is gone', { notFound: true }],
    ['the activity was reset', { reset: true }],
  ])('%s: the work is told to end, and the answer is Temporal’s own', async (_, details) => {
    let reason: unknown;
    const { result } = runAs((act, cancel) => {
      act.signal.addEventListener('abort', () => {
        reason = act.signal.reason;
      });
      setImmediate(cancel, details);
      return untilAborted(act);
    }, 'TERMINATED');
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    expect(reason).toBeInstanceOf(CancelledFailure);
  });

  test.each<[string, Details]>([
    ['the worker shuts down', { workerShutdown: true }],
    ['a heartbeat came too late', { timedOut: true }],
    ['the activity is paused', { paused: true }],
    ['a later attempt of the activity took over', { notFound: true }],
  ])('%s: only the watcher leaves', async (_, details) => {
    let reason: unknown;
    const { result } = runAs((act, cancel) => {
      setImmediate(cancel, details);
      return untilAborted(act).catch((error) => {
        reason = error;
        throw error;
      });
    });
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    expect(reason).toBe(leaveRunning);
  });

  test('that comes after the work is done changes nothing', async () => {
    const { result } = runAs(async (_, cancel) => {
      cancel({ cancelRequested: true });
      return 'done';
    });
    expect(await result).toBe('done');
  });
});

test('what is thrown becomes a typed failure', async () => {
  const fail = (error: unknown) => runAs(() => Promise.reject(error)).result;
  await expect(fail(new PdlcError('branch_moved', 'elsewhere'))).rejects.toMatchObject({ type: 'branch_moved', nonRetryable: true, message: 'elsewhere' });
  await expect(fail(new TypeError('x'))).rejects.toBeInstanceOf(ApplicationFailure);
  await expect(fail(new CompleteAsyncError())).rejects.toBeInstanceOf(CompleteAsyncError);
});
