// The stops on a real server: a stage that fails, a stage that is stuck, and the step cap; each says why and loses nothing.
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { branchState, git, openSample } from './repository.js';
import { json, openRig } from './support.js';

const rig = openRig();

const failing: { stage: string; sample: Parameters<typeof openSample>[0]; starts: string[]; gate: string; reason: RegExp }[] = [
  {
    stage: 'tdd',
    sample: { agent: agentFixture('stubborn', 'tdd') },
    starts: ['worker tdd', 'worker tdd'],
    gate: 'checks',
    reason: /^unit passed; expected the new tests to run and fail$/,
  },
  {
    stage: 'implement',
    sample: { agent: agentFixture('stubborn'), at: 'implement' },
    starts: ['worker implement', 'worker implement'],
    gate: 'checks',
    reason: /^unit failed \(exit 1\); expected it to pass$/,
  },
  {
    stage: 'review',
    sample: { agent: agentFixture('good'), evaluator: agentFixture('block-always'), at: 'review' },
    starts: ['evaluator review', 'fixer review', 'evaluator review'],
    gate: 'evaluate',
    reason: /^the evaluator found a blocking finding: unreviewed: nothing in the code says "reviewed/,
  },
];

for (const { stage, sample: options, starts, gate, reason } of failing) {
  test.concurrent(`a ${stage} that fails twice stops the run as blocked, is not dispatched again, and the branch says why`, async () => {
    const sample = openSample(options);
    const before = snapshotRepo(sample.dir);
    const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
    const report = await rig.status(sample.dir);
    expect(report).toMatchObject({ state: 'blocked', stage, exitCode: 2, reason: expect.stringMatching(reason) });
    expect(ended).toMatchObject({ code: 2, last: `<<<PDLC blocked reason="${report.reason?.replaceAll('"', '\\"')}">>>` });
    expect(sample.starts()).toEqual(starts);
    expect(report.steps.filter((step) => step.stage === stage)).toMatchObject([{ ok: false, reason: report.reason }]);
    expect((await rig.facts(sample.dir)).findLast(({ kind }) => kind === 'verdict.reached')?.verdict).toMatchObject({ kind: 'reject', gate });
    const { next_step, last_phase_result } = branchState(sample.dir);
    expect({ next_step, ...last_phase_result }).toMatchObject({
      next_step: `pdlc-${stage}`,
      stage,
      ok: false,
      advanced_to: null,
      blocked_reason: report.reason,
    });
    expect((await rig.pdlc(sample.dir, 'loop-next', 'F1')).stdout).toBe('blocked\n');
    expect(snapshotRepo(sample.dir)).toEqual(before);
  });
}

for (const { stage, at } of [{ stage: 'tdd' }, { stage: 'implement', at: 'implement' as const }]) {
  test.concurrent(`an agent that changes nothing in ${stage} is stuck, which is another end than blocked`, async () => {
    const sample = openSample({ agent: agentFixture('idle'), ...(at ? { at } : {}) });
    const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
    expect(ended).toMatchObject({ code: 5, last: expect.stringMatching(/^<<<PDLC blocked reason="stuck: nothing was changed: .*">>>$/) });
    expect(sample.starts()).toEqual(Array(2).fill(`worker ${stage}`));
    const report = await rig.status(sample.dir);
    expect(report).toMatchObject({ state: 'stuck', stage, exitCode: 5 });
    expect(report.steps.at(-1)).toMatchObject({ stage, ok: false, attempts: 2 });
    expect(git(sample.dir, 'diff', '--name-only', sample.base, 'pdlc/F1', '--', '.', ':!docs/.pdlc-state')).toBe('');
  });
}

test.concurrent('the step cap stops between stages, extend lets the same run go on, and a cap below what is used is refused', async () => {
  const sample = openSample({ agent: agentFixture('good') });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--max-steps', '1');
  expect(ended).toMatchObject({ code: 3, last: '<<<PDLC blocked reason="capped: all 1 steps are used">>>' });
  expect(sample.starts()).toEqual(['worker tdd']);
  expect(await rig.pdlc(sample.dir, 'resume', 'F1')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('refused: all 1 steps are used; raise the cap first: pdlc extend F1 --steps +1'),
  });
  expect(await rig.pdlc(sample.dir, 'extend', 'F1', '--steps', '0')).toMatchObject({
    code: 2,
    stdout: 'extend: refused: limits.steps: 1 are used already, 0 would be below that\n',
  });
  expect(await rig.pdlc(sample.dir, 'extend', 'F1', '--steps', '+2')).toMatchObject({ code: 0, stdout: 'extend: steps 1 → 3\n' });
  const { workflowId } = await rig.status(sample.dir);
  expect((await rig.pdlc(sample.dir, 'loop-run', 'F1')).code).toBe(0);
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'review_done', exitCode: 0, stepsUsed: 3, maxSteps: 3, workflowId });
  expect(sample.starts()).toEqual(['worker tdd', 'worker implement', 'evaluator review']);
});

test.concurrent('an agent that claims success over red tests never passes', async () => {
  const sample = openSample({ agent: agentFixture('liar'), at: 'implement' });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json');
  expect(ended.code).toBe(2);
  expect(json(ended)).toMatchObject({
    state: 'blocked',
    stage: 'implement',
    steps: [{ ok: false, attempts: 2, checks: { unit: 'unit failed (exit 1)' } }],
  });
  expect(branchState(sample.dir).last_phase_result.checks).toEqual({ tests_pass: false });
});
