// Guarantees of setup: it runs once per place and set of lockfiles, its products come back whole, and a setup that fails is never a pass.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildRoom } from '../../../activities/oracle/room.js';
import { setupTree } from '../../../activities/oracle/setup.js';
import { freshDir } from '../git/scene.js';
import { candidateOn, command, configOf, counter, greenFiles, judgeAs, lineOf, makeRun, project, redFiles, unit, withPlace } from './run.js';

const setupWith = (run: string, more = {}) => configOf({ setup: command(run), ...more });

test('setup runs once for unchanged lockfiles over all rooms and judgements, and again for changed ones', async () => {
  const runs = counter();
  const config = setupWith(`${runs.run}; mkdir -p node_modules/a && echo installed > node_modules/a/x`, {
    checks: { unit: command(`grep -q installed node_modules/a/x && { ${unit.run.replace('exit $bad', '[ $bad = 0 ]')}; }`) },
    seal: { paths: [], dependencies: 'allow' },
  });
  const run = await makeRun({ config });
  const red = candidateOn(run, run.base, redFiles);
  expect(lineOf(await judgeAs('tdd', run, { candidate: red }))).toBe('pass at checks');
  expect(lineOf(await judgeAs('implement', run, { candidate: candidateOn(run, red.commit, greenFiles), tip: red.commit }))).toBe('pass at checks');
  expect(runs.count()).toBe(1);
  const changed = candidateOn(run, red.commit, { ...greenFiles, 'package-lock.json': '{ "lockfileVersion": 4 }\n' });
  expect(lineOf(await judgeAs('implement', run, { candidate: changed, tip: red.commit }))).toBe('pass at checks');
  expect(runs.count()).toBe(2);
  expect(lineOf(await judgeAs('implement', run, { candidate: candidateOn(run, red.commit, greenFiles), tip: red.commit }))).toBe('pass at checks');
  expect(runs.count()).toBe(2);
});

test('without a lockfile the manifests decide, without any of both setup still runs once', async () => {
  const runs = counter();
  const { 'package-lock.json': _, ...files } = project;
  const run = await makeRun({ files, config: setupWith(runs.run) });
  const build = (commit: string) => withPlace(run, (place) => buildRoom(place, { commit, part: 'candidate' }, run.run.config.setup));
  await build(run.base);
  await build(candidateOn(run, run.base, { 'src/x.sh': 'x' }).commit);
  expect(runs.count()).toBe(1);
  await build(candidateOn(run, run.base, { 'package.json': project['package.json'].replace('"a": "1"', '"a": "2"') }).commit);
  expect(runs.count()).toBe(2);
});

test('products come back with links, modes and absolute paths that still work', async () => {
  const make =
    'mkdir -p .venv/bin "with é space" && printf %s "$PWD" > at && printf "#!/bin/sh\\necho works\\n" > .venv/bin/tool && chmod 755 .venv/bin/tool && ln -s "$PWD/.venv/bin/tool" tool && ln -s .venv/bin rel && : > "with é space/x"';
  const run = await makeRun({
    config: setupWith(make, {
      checks: { unit: command('[ "$(cat at)" = "$PWD" ] && [ "$("$(readlink tool)")" = works ] && rel/tool && [ -e "with é space/x" ]') },
    }),
  });
  for (const files of [redFiles, { 'src/other.sh': 'x' }])
    expect(lineOf(await judgeAs('implement', run, { candidate: candidateOn(run, run.base, files) }))).toBe('pass at checks');
  await withPlace(run, async ({ slot }) => {
    expect(lstatSync(join(slot.room, 'rel')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(slot.room, '.venv/bin/tool')).mode & 0o777).toBe(0o755);
  });
});

test('what a check changes in installed dependencies is gone in the next room', async () => {
  const run = await makeRun({
    config: setupWith('mkdir node_modules && echo 1 > node_modules/x', {
      checks: { unit: command('[ "$(cat node_modules/x)" = 1 ] && echo 2 > node_modules/x') },
    }),
  });
  for (const files of [redFiles, { 'src/other.sh': 'x' }])
    expect(lineOf(await judgeAs('implement', run, { candidate: candidateOn(run, run.base, files) }))).toBe('pass at checks');
});

describe('a setup that fails', () => {
  test.each([
    ['exit 3', 'exited with 3'],
    ['exit 124', 'exited with 124'],
    ['kill -KILL $$', 'was ended by signal 9'],
  ])('is a refusal with its output, kept nowhere: %s', async (end, found) => {
    const script = `echo "no network" >&2; ${end}`;
    const run = await makeRun({ config: setupWith(script) });
    const verdict = await judgeAs('implement', run, { candidate: candidateOn(run, run.base, redFiles) });
    expect(lineOf(verdict)).toBe(`reject at checks: setup (${script}) ${found}`);
    expect(verdict).toMatchObject({ feedback: expect.stringContaining('no network') });
    await withPlace(run, async ({ slot }) => expect(readdirSync(slot.layers)).toEqual([]));
  });

  test('is tried again in the next judgement', async () => {
    const runs = counter();
    const run = await makeRun({ config: setupWith(`${runs.run}; exit 1`) });
    for (const _ of [1, 2]) await judgeAs('implement', run, { candidate: candidateOn(run, run.base, redFiles) });
    expect(runs.count()).toBe(2);
  });
});

test('in the agent’s tree setup runs once for the same lockfiles, remembered outside of the tree', async () => {
  const runs = counter();
  const run = await makeRun({ config: setupWith(`${runs.run}; echo done > installed`) });
  const [tree, marker] = [freshDir('tree'), join(freshDir('marker'), 'tree-setup')];
  const setup = (commit: string) => withPlace(run, (place) => setupTree(place, { command: run.run.config.setup, commit, part: 'tree-1', tree, marker }));
  expect([await setup(run.base), await setup(run.base)]).toEqual([{ ok: true }, { ok: true }]);
  expect([runs.count(), readFileSync(join(tree, 'installed'), 'utf8')]).toEqual([1, 'done\n']);
  await setup(candidateOn(run, run.base, { 'package-lock.json': '{}' }).commit);
  expect(runs.count()).toBe(2);
});
