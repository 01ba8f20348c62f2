// The ground before the first cent: where it does not hold, no agent starts, and a person who put it right may go on.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { tempDir } from '../helpers/temp.js';
import { commit, openSample } from './repository.js';
import { json, openRig } from './support.js';

const rig = openRig();
const agent = agentFixture('good');

const broken = [
  {
    what: 'a check that is not found',
    config: { checks: { unit: 'no-such-runner' } },
    reason: /^check_not_run: unit could not run \(exit 127\) on the untouched base/,
  },
  { what: 'a setup that fails', config: { setup: 'echo "no registry" >&2; exit 3' }, reason: /^setup_failed: .*no registry/s },
  {
    what: 'a red lint',
    config: { checks: { unit: 'node --test', lint: 'echo "one warning"; exit 1' } },
    reason: /^baseline_red: lint failed \(exit 1\) on the untouched base; expected it to pass\none warning/,
  },
];

for (const { what, config, reason } of broken) {
  test.concurrent(`${what} is a broken environment and costs no agent`, async () => {
    const sample = openSample({ agent, config });
    const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
    expect(ended).toMatchObject({ code: 4, last: expect.stringMatching(/^<<<PDLC blocked reason="env_broken: .*">>>$/) });
    expect(await rig.status(sample.dir)).toMatchObject({ state: 'env_broken', exitCode: 4, reason: expect.stringMatching(reason), usage: { usd: 0 } });
    expect(sample.starts()).toEqual([]);
  });
}

test.concurrent('a red base is a broken environment, and stays one while its commit is the base', async () => {
  const sample = openSample({ agent, at: 'review' });
  commit(sample.dir, { 'src/add.js': 'export const add = () => 0;\n' });
  const ended = json(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json'));
  expect(ended).toMatchObject({
    state: 'env_broken',
    exitCode: 4,
    reason: expect.stringMatching(/^baseline_red: unit failed \(exit 1\) on the untouched base/),
  });
  expect((await rig.pdlc(sample.dir, 'resume', 'F1')).code).toBe(4);
  expect((await rig.pdlc(sample.dir, 'abort', 'F1')).code).toBe(0);
  commit(sample.dir, { 'src/add.js': 'export const add = (a, b) => a + b;\n' });
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1', '--fresh')).code).toBe(0);
  expect(sample.starts()).toEqual(['evaluator review']);
});

test.concurrent('a person who put the world right resumes, and it costs no further step', async () => {
  const tool = join(tempDir('tool'), 'ready');
  const sample = openSample({ agent, config: { setup: `test -f '${tool}' || { echo 'the tool is missing'; exit 1; }` }, at: 'implement' });
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 4, last: expect.stringContaining('the tool is missing') });
  expect((await rig.pdlc(sample.dir, 'resume', 'F1')).code).toBe(4);
  writeFileSync(tool, '');
  expect((await rig.pdlc(sample.dir, 'resume', 'F1')).code).toBe(0);
  expect(sample.starts()).toEqual(['worker implement', 'evaluator review']);
  expect(await rig.status(sample.dir)).toMatchObject({ stepsUsed: 2, steps: [{ attempts: 1 }, { attempts: 0 }] });
});
