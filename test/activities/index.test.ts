// Guarantees of the boundary to the worker: exactly the activities of the port, and none of them works outside of an activity.
import { expect, test } from 'vitest';
import { createActivities } from '../../activities/index.js';
import { makeRun } from './oracle/run.js';

test('a host offers the seven activities that workflows know', async () => {
  const { host, run, runKey } = await makeRun();
  const activities = createActivities(host);
  expect(Object.keys(activities).sort()).toEqual(['agent', 'capture', 'clock', 'judge', 'prepare', 'publish', 'release']);
  await expect(activities.publish({ run, runKey, at: null, entries: [], settle: null })).rejects.toThrow('Activity context not initialized');
});
