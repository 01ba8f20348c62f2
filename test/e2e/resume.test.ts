// What a person does to a run that stopped: repairing the kept tree, starting in the middle, and the spare step.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { commit, git, openSample, type Repository, stateText, work, write } from './repository.js';
import { json, openRig } from './support.js';

const rig = openRig();

test.concurrent('what a person repairs in the kept tree passes without an agent, and the run ends in four steps', async () => {
  const sample = openSample({ agent: agentFixture('stubborn', 'implement') });
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-steps', '4')).code).toBe(2);
  const { tree, next } = await rig.status(sample.dir);
  expect(next[0]).toBe(`cd '${tree}'`);
  write(tree, { 'src/double.js': work.code });
  const before = sample.starts();
  const ended = await rig.pdlc(sample.dir, 'resume', 'F1');
  expect(ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual([...before, 'evaluator review']);
  const report = await rig.status(sample.dir);
  expect(report.steps.map(({ stage, ok, attempts }) => `${stage} ${ok} ${attempts}`)).toEqual([
    'tdd true 1',
    'implement false 2',
    'implement true 0',
    'review true 0',
  ]);
  expect((await rig.facts(sample.dir)).filter(({ kind }) => kind === 'work.captured').map(({ stage, author }) => `${author} ${stage}`)).toEqual([
    'agent tdd',
    'agent implement',
    'agent implement',
    'person implement',
  ]);
  expect(git(sample.dir, 'show', 'pdlc/F1:src/double.js')).toBe(work.code.trim());
  expect(existsSync(tree)).toBe(false);
});

test.concurrent('a second block after the spare step is blocked, and its resume is capped', async () => {
  const sample = openSample({ agent: agentFixture('stubborn'), evaluator: agentFixture('block-always'), at: 'implement' });
  await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-steps', '3');
  write((await rig.status(sample.dir)).tree, { 'src/double.js': work.code });
  expect((await rig.pdlc(sample.dir, 'resume', 'F1')).code).toBe(2);
  const starts = sample.starts();
  const again = await rig.pdlc(sample.dir, 'resume', 'F1', '--json');
  expect(again.code).toBe(3);
  expect(json(again)).toMatchObject({ state: 'capped', stepsUsed: 3, next: ['pdlc extend F1 --steps +1', 'pdlc abort F1'] });
  expect(sample.starts()).toEqual(starts);
});

test.concurrent('what a person commits in the kept tree counts as the repair', async () => {
  const { sample } = await repairedByCommit();
  expect(git(sample.dir, 'show', 'pdlc/F1:src/double.js')).toBe(work.code.trim());
});

test.concurrent('what a person commits in the kept tree is history of the branch', async () => {
  const { sample, mine } = await repairedByCommit();
  expect(git(sample.dir, 'merge-base', mine, 'pdlc/F1')).toBe(mine);
});

for (const { at, starts } of [
  { at: 'implement' as const, starts: ['worker implement', 'evaluator review'] },
  { at: 'review' as const, starts: ['evaluator review'] },
]) {
  test.concurrent(`a state that says pdlc-${at} starts there and runs only what is left`, async () => {
    const sample = openSample({ agent: agentFixture('good'), at });
    expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
    expect(sample.starts()).toEqual(starts);
  });
}

test.concurrent('a state that says pdlc-ship is done at once, one that says pdlc-design is blocked, and neither starts anything', async () => {
  const shipped = openAt('pdlc-ship');
  expect(await rig.pdlc(shipped.dir, 'loop-run', 'F1')).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  const early = openAt('pdlc-design');
  expect(await rig.pdlc(early.dir, 'loop-run', 'F1')).toMatchObject({
    code: 2,
    last: String.raw`<<<PDLC blocked reason="next_step \"pdlc-design\" is outside tdd, implement and review">>>`,
  });
  expect([...shipped.starts(), ...early.starts()]).toEqual([]);
});

test.concurrent('tests that are green before implement block the run, and a person may accept them', async () => {
  const sample = openSample({ agent: agentFixture('good'), at: 'implement' });
  commit(sample.dir, { 'src/double.js': work.code });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(ended).toMatchObject({
    code: 2,
    last: expect.stringMatching(/^<<<PDLC blocked reason="already_green: unit passed on the untouched base; expected unit to be red/),
  });
  expect(sample.starts()).toEqual([]);
  expect(await rig.pdlc(sample.dir, 'resume', 'F1')).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual(['evaluator review']);
});

test.concurrent('resume without an open run opens one at next_step', async () => {
  const sample = openSample({ agent: agentFixture('good'), at: 'review' });
  expect(await rig.pdlc(sample.dir, 'resume', 'F1')).toMatchObject({ code: 0, stderr: expect.stringContaining('no run is open, one is opened at review') });
});

test.concurrent('an agent that edits a sealed test twice ends as tampering that names the file', async () => {
  const sample = openSample({ agent: agentFixture('cheat'), at: 'implement' });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(ended).toMatchObject({ code: 2, last: '<<<PDLC blocked reason="integrity: sealed files were changed: test/double.test.js">>>' });
  const report = await rig.status(sample.dir);
  expect(report).toMatchObject({ state: 'integrity', stage: 'implement', steps: [{ ok: false, attempts: 2 }] });
  const verdicts = (await rig.facts(sample.dir)).flatMap(({ verdict, stage }) => (verdict && stage === 'implement' ? [verdict] : []));
  expect(verdicts).toMatchObject(Array(2).fill({ kind: 'tampered', gate: 'integrity', paths: [{ path: 'test/double.test.js' }] }));
  expect(git(sample.dir, 'diff', '--name-only', sample.base, 'pdlc/F1', '--', 'test')).toBe('');
});

test.concurrent('an agent that edits a sealed test once and then works honestly passes, with the test as it was sealed', async () => {
  const sample = openSample({ agent: agentFixture('cheat', 'once'), at: 'implement' });
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(0);
  expect((await rig.status(sample.dir)).steps[0]).toMatchObject({ ok: true, attempts: 2 });
  expect(git(sample.dir, 'diff', '--name-only', sample.base, 'pdlc/F1', '--', 'test')).toBe('');
});

async function repairedByCommit(): Promise<{ sample: Repository; mine: string }> {
  const sample = openSample({ agent: agentFixture('stubborn'), at: 'implement' });
  await rig.pdlc(sample.dir, 'loop-run', 'F1');
  const { tree } = await rig.status(sample.dir);
  git(tree, 'config', 'user.name', 'Someone');
  git(tree, 'config', 'user.email', 'someone@example.org');
  const mine = commit(tree, { 'src/double.js': work.code });
  expect((await rig.pdlc(sample.dir, 'resume', 'F1')).code).toBe(0);
  return { sample, mine };
}

function openAt(next: string): Repository {
  const sample = openSample({ agent: agentFixture('good') });
  commit(sample.dir, { [sample.statePath]: stateText(sample, { next_step: next }) });
  return sample;
}
