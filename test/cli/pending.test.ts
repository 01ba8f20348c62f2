// What is told of an act under way: what it does, why it is tried again, and nothing where a worker only went away.
import { expect, test } from 'vitest';
import { type Pending, readPending } from '../../cli/pending.js';
import { openProgress } from '../../cli/progress.js';
import type { FoundRun } from '../../cli/run-handle.js';
import { emptyReport } from '../../machines/contract/report.js';

const [scheduled, running] = [1, 2];
const failed = { message: 'no space left', applicationFailureInfo: { type: 'disk_failed' } };

/** Asks a server that knows these pending acts. */
const asked = (pendingActivities: object[]): Promise<Pending> =>
  readPending({ handle: { describe: async () => ({ raw: { pendingActivities } }) } } as unknown as FoundRun); // all that is asked of a handle

test.each<[string, object, Pending]>([
  [
    'that waits after a failure',
    { state: scheduled, lastFailure: failed },
    { activity: null, trouble: 'judge failed and is tried again by itself: no space left' },
  ],
  ['that is tried just now', { state: running, lastFailure: failed }, { activity: null, trouble: null }],
  ['whose worker went away', { state: scheduled, lastFailure: { message: 'timeout', timeoutFailureInfo: {} } }, { activity: null, trouble: null }],
  [
    'that beats',
    { state: running, heartbeatDetails: { payloads: [{ data: Buffer.from('{"doing":"check unit","lastLine":null}') }] } },
    { activity: 'check unit', trouble: null },
  ],
])('of an act %s', async (_, act, expected) => {
  expect(await asked([{ activityType: { name: 'judge' }, ...act }])).toEqual(expected);
});

test('between two acts there is nothing to tell, and neither when the server does not answer', async () => {
  const nothing = { activity: null, trouble: null };
  const silent = { handle: { describe: () => Promise.reject(new Error('away')) } } as unknown as FoundRun; // all that is asked of a handle
  expect([await asked([]), await readPending(silent)]).toEqual([nothing, nothing]);
});

test('a trouble is said once where lines stay', () => {
  const lines: string[] = [];
  const progress = openProgress({ err: (line) => lines.push(line), isTerminal: false, useColor: false });
  const report = { ...emptyReport, state: 'judging', stage: 'tdd' } as const;
  for (const trouble of ['full', 'full', null, 'full']) progress.show(report, { activity: null, trouble });
  expect(lines).toEqual(['  0/0 tdd judging', '  full']);
});
