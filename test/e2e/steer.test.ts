// What a person may do to a run that moves: leave it, come back, pause, note, choose, extend, abort and cancel.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { git, openSample, type Repository } from './repository.js';
import { type Call, json, openRig, until } from './support.js';

const rig = openRig();

test.concurrent('Ctrl-C leaves the run going and says how to come back; coming back ends done', async () => {
  const { sample, call } = await working();
  call.kill('SIGINT');
  const left = await call.ended;
  expect(left).toMatchObject({
    code: 130,
    stdout: '',
    stderr: expect.stringContaining('detached: the run goes on. Come back with: pdlc loop-run F1   stop it with: pdlc cancel F1'),
  });
  const back = rig.start(sample.dir, 'loop-run', 'F1');
  await until(() => back.stderr().includes('attached to the run of this feature that is already open'));
  sample.open();
  expect(await back.ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(sample.starts()).toEqual(['worker implement', 'evaluator review']);
});

test.concurrent('pause lets the attempt end and then waits; resume goes on', async () => {
  const { sample, call } = await working();
  expect(await rig.pdlc(sample.dir, 'pause', 'F1')).toMatchObject({ code: 0, stdout: 'pause: the run pauses after what it is doing now\n' });
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'working', exitCode: 130, sentinel: null });
  sample.open();
  expect(await call.ended).toMatchObject({ code: 2, last: '<<<PDLC blocked reason="paused by a person">>>' });
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'paused', stage: 'implement' });
  expect(await rig.pdlc(sample.dir, 'pause', 'F1')).toMatchObject({ code: 0 });
  expect((await rig.pdlc(sample.dir, 'resume', 'F1')).code).toBe(0);
  expect(sample.starts()).toEqual(['worker implement', 'evaluator review']);
});

test.concurrent('abort ends the run at its next decision with the reason, and no further agent starts', async () => {
  const { sample, call } = await working();
  expect((await rig.pdlc(sample.dir, 'abort', 'F1', '--reason', 'the "design" is wrong')).code).toBe(0);
  sample.open();
  expect(await call.ended).toMatchObject({ code: 6, last: String.raw`<<<PDLC blocked reason="aborted: the \"design\" is wrong">>>` });
  expect(sample.starts()).toEqual(['worker implement']);
  expect(await rig.pdlc(sample.dir, 'abort', 'F1')).toMatchObject({
    code: 64,
    stderr: 'F1: expected an open run, found one that is over (completed); start one with: pdlc loop-run F1\n',
  });
});

test.concurrent('cancel stops the agent at once, saves what it left, and removes the tree; a second cancel has nothing to do', async () => {
  const { sample, call } = await working();
  const { tree } = await rig.status(sample.dir);
  writeFileSync(join(tree, 'half-done.txt'), 'precious\n');
  const { pid } = sample.log().at(-1) ?? { pid: 0 };
  const cancelled = await rig.pdlc(sample.dir, 'cancel', 'F1');
  const ref = /refs\/pdlc\/saved\/F1\/\w+/.exec(cancelled.stdout)?.[0] ?? 'none named';
  expect(cancelled).toMatchObject({ code: 0, stdout: `F1: cancelled\nwhat was left in the tree is saved as ${ref}\n` });
  expect(isAlive(pid)).toBe(false);
  expect(git(sample.dir, 'show', `${ref}:half-done.txt`)).toBe('precious');
  expect(existsSync(tree)).toBe(false);
  expect(await call.ended).toMatchObject({ code: 6, last: '<<<PDLC blocked reason="cancelled by a person">>>' });
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'cancelled', exitCode: 6 });
  expect(await rig.pdlc(sample.dir, 'cancel', 'F1')).toMatchObject({ code: 0, stdout: 'F1: no open run, nothing to cancel\n' });
});

test.concurrent('a note reaches the next prompt and no later stage', async () => {
  const sample = openSample({ agent: agentFixture('good') });
  await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-steps', '1');
  expect(await rig.pdlc(sample.dir, 'note', 'F1', 'mind the negative numbers')).toMatchObject({ code: 0, stdout: 'note: it goes into the next prompt\n' });
  await rig.pdlc(sample.dir, 'extend', 'F1', '--steps', '3');
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(0);
  expect(sample.prompts().map((prompt) => prompt.includes('mind the negative numbers'))).toEqual([false, true, false]);
});

for (const { answer, starts } of [
  { answer: 'allow', starts: ['worker implement', 'evaluator review'] },
  { answer: 'refuse', starts: ['worker implement', 'worker implement', 'evaluator review'] },
]) {
  test.concurrent(`changed dependencies wait for a person, who may ${answer} them`, async () => {
    const sample = openSample({ agent: agentFixture('depend'), at: 'implement' });
    const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
    expect(ended).toMatchObject({
      code: 2,
      last: '<<<PDLC blocked reason="awaiting_choice: dependency manifests or lockfiles were changed: package.json (dependencies)">>>',
    });
    expect(await rig.pdlc(sample.dir, 'resume', 'F1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('refused: the run waits for a choice: pdlc choose F1 allow|refuse'),
    });
    expect(await rig.pdlc(sample.dir, 'choose', 'F1', answer)).toMatchObject({ code: 0 });
    expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 0 });
    expect(sample.starts()).toEqual(starts);
  });
}

test.concurrent('a spent budget pauses before the next agent with the work intact, and extend goes on', async () => {
  const sample = openSample({ agent: agentFixture('good'), env: { PDLC_TEST_USD: '6' }, config: { limits: { usd: 5, usdPerAttempt: 10 } }, at: 'implement' });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(ended).toMatchObject({ code: 2, last: '<<<PDLC blocked reason="paused: budget: USD 6.00 of USD 5.00 are spent (limits.usd)">>>' });
  expect(sample.starts()).toEqual(['worker implement']);
  expect(git(sample.dir, 'diff', '--name-only', sample.base, 'pdlc/F1', '--', 'src')).toBe('src/double.js');
  expect(await rig.pdlc(sample.dir, 'extend', 'F1', '--usd', '5.5')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('refused: limits.usd: 6 are spent already'),
  });
  expect((await rig.pdlc(sample.dir, 'extend', 'F1', '--usd', '+20')).code).toBe(0);
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(0);
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'review_done', usage: { usd: 12 }, steps: [{ usage: { usd: 6 } }, { usage: { usd: 6 } }] });
});

test.concurrent('a budget that one attempt breaks pauses before the repair', async () => {
  const sample = openSample({ agent: agentFixture('stubborn', 'tdd'), env: { PDLC_TEST_USD: '3' } });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-budget-usd', '2.50');
  expect(ended).toMatchObject({ code: 2, last: '<<<PDLC blocked reason="paused: budget: USD 3.00 of USD 2.50 are spent (limits.usd)">>>' });
  expect(sample.starts()).toEqual(['worker tdd']);
});

test.concurrent('cost that no agent tells is unknown, not zero', async () => {
  const sample = openSample({ agent: agentFixture('good'), env: { PDLC_TEST_USD: 'none' }, at: 'implement' });
  const done = json(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json'));
  expect(done).toMatchObject({ state: 'review_done', usage: { usd: null }, steps: [{ usage: { usd: null, tokens: null } }, {}] });
  expect((await rig.pdlc(sample.dir, 'status', 'F1')).stdout).toContain('part of the spend is unknown');
});

/** A run whose agent works until the sample is opened. */
async function working(): Promise<{ sample: Repository; call: Call }> {
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  const call = rig.start(sample.dir, 'loop-run', 'F1');
  await until(() => sample.starts().length === 1);
  return { sample, call };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
