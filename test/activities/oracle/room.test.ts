// Guarantees of rooms: the candidate with the sealed files as they were, and nothing of an earlier room or of the agent's tree.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureTree } from '../../../activities/git/agent-tree.js';
import { buildRoom, type RoomPlan } from '../../../activities/oracle/room.js';
import { freshDir, git, put } from '../git/scene.js';
import { actOf, candidateOn, command, configOf, judgeAs, lineOf, makeRun, project, type Run, redFiles, withPlace } from './run.js';

const roomOf = (run: Run, plan: Omit<RoomPlan, 'part'>): Promise<string> =>
  withPlace(run, async (place) => {
    expect(await buildRoom(place, { part: 'candidate', ...plan }, null)).toEqual({ ok: true });
    return place.slot.room;
  });

test('sealed files are put back as they were: changed, deleted and added ones', async () => {
  const run = await makeRun();
  const { commit } = candidateOn(run, run.base, { 'test/add.test.sh': 'true\n', 'vitest.config.ts': null, 'jest.config.js': 'x', 'src/new.sh': 'x' });
  const room = await roomOf(run, { commit, restore: { commit: run.base, paths: ['test/add.test.sh', 'vitest.config.ts', 'jest.config.js'] } });
  expect(readFileSync(join(room, 'test/add.test.sh'), 'utf8')).toBe(project['test/add.test.sh']);
  expect(['vitest.config.ts', 'jest.config.js', 'src/new.sh'].map((path) => existsSync(join(room, path)))).toEqual([true, false, true]);
});

test('a room starts empty, whatever an earlier check left in it', async () => {
  const run = await makeRun();
  const room = await roomOf(run, { commit: run.base });
  put(room, { 'dist/left.js': '1', 'src/planted.sh': '1', '.git/hooks/post-checkout': '#!/bin/sh\nexit 1\n' });
  mkdirSync(join(room, 'locked/deep'), { recursive: true });
  chmodSync(join(room, 'locked'), 0o555);
  expect(await roomOf(run, { commit: run.base })).toBe(room);
  expect(['dist', 'src/planted.sh', 'locked', '.git/hooks/post-checkout', 'src/add.sh'].map((path) => existsSync(join(room, path)))).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('nothing of the agent’s tree is in a room: no ignored file, no dependency, no cache', async () => {
  const seen = join(freshDir('seen'), 'names');
  const look = command(`ls -A > '${seen}'; [ ! -e node_modules ] && [ ! -e .cache ] && [ ! -e .env ]`);
  const run = await makeRun({ config: configOf({ checks: { unit: look } }) });
  const tree = await ensureTree({ git, engineDir: run.paths.engine, runDir: run.paths.dir, branch: 'pdlc/F1', commit: run.base });
  put(tree, { 'node_modules/a/index.js': 'module.exports = "mine"', '.cache/verdict': 'green', '.env': 'KEY=1' });
  expect(lineOf(await judgeAs('implement', run, { candidate: candidateOn(run, run.base, redFiles) }))).toBe('pass at checks');
  expect(readFileSync(seen, 'utf8').trim().split('\n')).toEqual(['.git', 'package-lock.json', 'package.json', 'src', 'test', 'vitest.config.ts']);
});

test('a judgement that is repeated under the same act takes the recorded results and runs nothing again', async () => {
  const seen = freshDir('seen');
  const run = await makeRun({ config: configOf({ checks: { unit: command(`mktemp '${seen}/XXXXXX'`) } }) });
  const act = actOf();
  const candidate = candidateOn(run, run.base, redFiles);
  const first = await judgeAs('implement', run, { candidate, act });
  expect(lineOf(first)).toBe('pass at checks');
  expect(lineOf(await judgeAs('implement', run, { candidate, act }))).toBe('pass at checks');
  // Once without the tests that it adds, once with them.
  expect(readdirSync(seen)).toHaveLength(2);
});
