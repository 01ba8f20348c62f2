// Guarantees of room slots: one user at a time, paths that stay the same, and a slot that is kept while something may still be at work in it.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Act } from '../../../activities/host/act.js';
import { type RunPaths, runPaths } from '../../../activities/host/paths.js';
import { type RoomSlot, releaseSlots, withSlot } from '../../../activities/oracle/slot.js';
import { leaveRunning } from '../../../activities/process/watch.js';
import { freshDir } from '../git/scene.js';
import { actOf } from './run.js';

const pathsIn = (home: string, runKey: string): RunPaths => runPaths(home, { project: 'p', featureId: 'F1', runKey });
const dirOf = (paths: RunPaths, act: Act = actOf()): Promise<string> => withSlot(paths, act, async ({ dir }) => dir);

type Held = { slot: Promise<RoomSlot>; done: (error?: Error) => void; ended: Promise<void> };

/** Uses a slot until `done` is called; `slot` is there once it is claimed. */
function hold(paths: RunPaths, act = actOf()): Held {
  let done: Held['done'] = () => {};
  const end = new Promise<void>((resolve, reject) => {
    done = (error) => (error ? reject(error) : resolve());
  });
  let ended = end;
  const slot = new Promise<RoomSlot>((claimed) => {
    ended = withSlot(paths, act, (found) => {
      claimed(found);
      return end;
    });
  });
  return { slot, done, ended };
}

test('two runs at once use different slots, one after the other the same', async () => {
  const home = freshDir('home');
  const [one, two] = [pathsIn(home, 'one'), pathsIn(home, 'two')];
  const first = hold(one);
  const { dir } = await first.slot;
  const second = await dirOf(two);
  expect(second).not.toBe(dir);
  first.done();
  await first.ended;
  expect([await dirOf(two), await dirOf(one)]).toEqual([dir, dir]);
});

test('a slot is kept when only the worker leaves, and the same run takes it again', async () => {
  const home = freshDir('home');
  const [one, two] = [pathsIn(home, 'one'), pathsIn(home, 'two')];
  const worker = new AbortController();
  const left = hold(one, actOf({ signal: worker.signal }));
  const { dir } = await left.slot;
  worker.abort(leaveRunning);
  left.done(leaveRunning);
  await expect(left.ended).rejects.toBe(leaveRunning);
  expect(await dirOf(two)).not.toBe(dir);
  expect(await dirOf(one)).toBe(dir);
  expect(await dirOf(two)).toBe(dir);
});

test('a slot is given back when its use fails', async () => {
  const paths = pathsIn(freshDir('home'), 'one');
  const failing = hold(paths);
  const { dir } = await failing.slot;
  failing.done(new Error('broken'));
  await expect(failing.ended).rejects.toThrow('broken');
  expect(existsSync(`${dir}.owner`)).toBe(false);
});

test('the end of a run gives back what it still holds and nothing of others', async () => {
  const home = freshDir('home');
  const [one, two, three] = [pathsIn(home, 'one'), pathsIn(home, 'two'), pathsIn(home, 'three')];
  const held: string[] = [];
  for (const paths of [one, two]) {
    const worker = new AbortController();
    const left = hold(paths, actOf({ signal: worker.signal }));
    held.push((await left.slot).dir);
    worker.abort(leaveRunning);
    left.done();
    await left.ended;
  }
  await releaseSlots(one);
  expect(held.map((dir) => existsSync(`${dir}.owner`))).toEqual([false, true]);
  expect(await dirOf(three)).toBe(held[0]);
  await releaseSlots(pathsIn(freshDir('empty'), 'one'));
});
