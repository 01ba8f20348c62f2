// The main job on a real server with real git and real processes, seen from outside.
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { git, openSample } from './repository.js';
import { json, openRig } from './support.js';

const rig = openRig();

test('a good agent takes a feature to review_done in three steps, and the branch holds the verified commits', async () => {
  const sample = openSample({ agent: agentFixture('good'), config: { checks: { unit: 'node --test' } } });
  const before = snapshotRepo(sample.dir);
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-steps', '4');
  expect(ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual(['worker tdd', 'worker implement', 'evaluator review']);
  expect(git(sample.dir, 'log', '--format=%s', `${sample.base}..pdlc/F1`).split('\n')).toHaveLength(5);
  expect(snapshotRepo(sample.dir)).toEqual(before);
});

test('the same command after the end says done at once and starts nothing', async () => {
  const sample = openSample({ agent: agentFixture('good') });
  await rig.pdlc(sample.dir, 'loop-run', 'F1');
  const again = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json');
  expect(json(again)).toMatchObject({ state: 'review_done', sentinel: '<<<PDLC done stage=review>>>', exitCode: 0 });
  expect(sample.starts()).toHaveLength(3);
});
