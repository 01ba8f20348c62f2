// Guarantees of places: all of a run lies under the host's home, and a run of another host is refused before anything is touched.
import { isAbsolute, sep } from 'node:path';
import { expect, test } from 'vitest';
import { type Host, pathsOf } from '../../../activities/host/host.js';
import { makeRun } from '../oracle/run.js';

test('everything of a run lies under the home, apart from other runs', async () => {
  const { host, run } = await makeRun();
  const [one, two] = ['one', 'two'].map((runKey) => pathsOf(host, { run, runKey }));
  const { attempt, ...folders } = { ...one };
  const all = [...Object.values(folders), attempt?.('tdd-1-1-agent'), attempt?.('tdd-1-1-judge', 'candidate-unit')];
  expect(all.filter((path) => typeof path !== 'string' || !isAbsolute(path) || !path.startsWith(`${host.home}${sep}`))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
  expect([two?.dir === one?.dir, two?.rooms === one?.rooms, two?.bases === one?.bases]).toEqual([false, true, true]);
});

test('a run of another host is refused', async () => {
  const { host, run, runKey } = await makeRun();
  const other: Host = { ...host, hostId: 'other' };
  expect(() => pathsOf(other, { run, runKey })).toThrowError(
    expect.objectContaining({ kind: 'wrong_host', message: 'run F1 belongs to host host-1, this is other' }),
  );
});
