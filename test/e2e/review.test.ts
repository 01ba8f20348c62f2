// The review on a real server: an independent evaluator decides, its silence or nonsense is never a pass, and one fixer may answer it.
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { git, openSample } from './repository.js';
import { openRig } from './support.js';

const rig = openRig();

test.concurrent('a blocking finding gets one fixer, then a fresh evaluator, and the run passes when it is settled', async () => {
  const sample = openSample({ agent: agentFixture('good'), evaluator: agentFixture('block-once'), at: 'review' });
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual(['evaluator review', 'fixer review', 'evaluator review']);
  expect(new Set(sample.log().map(({ pid }) => pid)).size).toBe(3);
  expect(git(sample.dir, 'show', 'pdlc/F1:src/double.js')).toContain('reviewed: holds for every finite number');
});

const worthless = [
  { evaluator: 'malformed', why: /its card is malformed \(findings: / },
  { evaluator: 'wrong-commit', why: /its card is about commit 0{10}, not [0-9a-f]{10}/ },
  { evaluator: 'two-cards', why: /no JSON object that could be a card, or more than one/ },
  { evaluator: 'editor', why: /it edited the copy that it had to judge \(src\/double\.js\)/ },
  { evaluator: 'fail', why: /it exited with 3/ },
];

for (const { evaluator, why } of worthless) {
  test.concurrent(`an evaluator of the kind ${evaluator} is asked twice and is never a pass`, async () => {
    const sample = openSample({ agent: agentFixture('good'), evaluator: agentFixture(evaluator), at: 'review' });
    const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
    expect(ended).toMatchObject({ code: 2, last: expect.stringMatching(/^<<<PDLC blocked reason="the evaluator returned no verdict: /) });
    expect(ended.last).toMatch(why);
    expect(ended.last).toContain('(twice)');
    expect(sample.starts()).toEqual(['evaluator review', 'evaluator review']);
    expect((await rig.facts(sample.dir)).findLast(({ kind }) => kind === 'verdict.reached')?.verdict).toMatchObject({ kind: 'unknown', gate: 'evaluate' });
  });
}
