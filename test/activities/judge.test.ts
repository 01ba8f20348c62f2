// Guarantees of the judge activity: each stage has its own contract, no process of a check outlives it, and a worker that leaves is taken up where it was.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIdentity } from '../../activities/process/identity.js';
import { leaveRunning } from '../../activities/process/watch.js';
import { freshDir, put } from './git/scene.js';
import { actOf, candidateOn, command, configOf, judgeAs, lineOf, makeRun, redFiles } from './oracle/run.js';
import { pidIn, until } from './process/attempts.js';

test('the same candidate is held against the contract of its stage', async () => {
  const run = await makeRun();
  const candidate = candidateOn(run, run.base, redFiles);
  expect(lineOf(await judgeAs('tdd', run, { candidate }))).toBe('pass at checks');
  expect(lineOf(await judgeAs('implement', run, { candidate }))).toMatch(/^reject at checks: unit failed/);
  expect(lineOf(await judgeAs('review', run, { candidate }))).toMatch(/^reject at checks: unit failed/);
});

test('with real test runners: a red node:test is accepted, then a green one', async () => {
  const test = (name: string, value: number) =>
    `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { ${name} } from '../src/${name}.mjs';\ntest('${name}', () => assert.equal(${name}(2), ${value}));\n`;
  const files = { 'src/half.mjs': 'export const half = (n) => n / 2;\n', 'test/half.test.mjs': test('half', 1) };
  const run = await makeRun({ files, config: configOf({ checks: { unit: command(`'${process.execPath}' --test`) } }) });
  const red = candidateOn(run, run.base, {
    'src/twice.mjs': 'export const twice = () => { throw new Error("not yet"); };\n',
    'test/twice.test.mjs': test('twice', 4),
  });
  expect(await judgeAs('tdd', run, { candidate: red })).toMatchObject({ kind: 'pass', checks: [{ tests: 2 }, { tests: 1 }] });
  const green = candidateOn(run, red.commit, { 'src/twice.mjs': 'export const twice = (n) => 2 * n;\n' });
  expect(await judgeAs('implement', run, { candidate: green, tip: red.commit })).toMatchObject({ kind: 'pass', checks: [{ tests: 2 }] });
});

test('a cancelled judgement is no verdict and leaves no process', async () => {
  const dir = freshDir('pid');
  const run = await makeRun({ config: configOf({ checks: { unit: command(`echo $$ > '${dir}/pid'; sleep 300`) } }) });
  const stop = new AbortController();
  const judged = judgeAs('implement', run, { candidate: candidateOn(run, run.base, redFiles), act: actOf({ signal: stop.signal }) });
  const pid = await pidIn(join(dir, 'pid'));
  const reason = new Error('cancelled');
  stop.abort(reason);
  await expect(judged).rejects.toBe(reason);
  expect(readIdentity(pid)).toBeNull();
});

test('a worker that leaves while a check runs is followed by one that attaches to that check', async () => {
  const dir = freshDir('check');
  const script = `mktemp '${dir}/ran.XXXXXX' >/dev/null; echo $$ > '${dir}/pid'; until [ -e '${dir}/go' ]; do sleep 0.02; done`;
  const run = await makeRun({ config: configOf({ checks: { unit: command(script) } }) });
  const candidate = candidateOn(run, run.base, redFiles);
  const worker = new AbortController();
  const left = judgeAs('implement', run, { candidate, act: actOf({ id: 'the-act', signal: worker.signal }) });
  const pid = await pidIn(join(dir, 'pid'));
  worker.abort(leaveRunning);
  await expect(left).rejects.toBe(leaveRunning);
  expect([readIdentity(pid) === null, existsSync(join(run.paths.rooms, '0.owner'))]).toEqual([false, true]);
  const second = judgeAs('implement', run, { candidate, act: actOf({ id: 'the-act' }) });
  put(dir, { go: '' });
  expect(lineOf(await second)).toBe('pass at checks');
  expect(await until(() => readIdentity(pid) === null)).toBe(true);
  expect(readdirSync(dir).filter((name) => name.startsWith('ran.'))).toHaveLength(2);
});
