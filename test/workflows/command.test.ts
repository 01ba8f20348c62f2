// Guarantees of a person's commands: each counts once, tells whether it was accepted and why not, and never changes what a state does not allow.
import { describe, expect, test } from 'vitest';
import { breachOf } from '../../machines/budget.js';
import { advanceRun } from '../../machines/step.js';
import { abort, choose, extend, note, once, pause, resume } from '../../workflows/command.js';
import { type Live, stateOf } from '../../workflows/live.js';
import type { Extension } from '../../workflows/messages.js';
import { tell } from '../../workflows/perform.js';
import { tellRun } from '../../workflows/settle.js';
import { badGround, outcomes, verdicts } from '../machines/facts.js';
import { begun, inStage } from './live-run.js';

const proved = { type: 'ground.proved' } as const;
const worked = { type: 'agent.ended', outcome: outcomes.finished, changed: true } as const;
const judged = (kind: keyof typeof verdicts) => ({ type: 'verdict.reached', verdict: verdicts[kind] }) as const;
const set = (key: Extension['key'], value: number, relative = false): Extension => ({ key, value, relative });

describe('once', () => {
  test('a repeated id changes nothing, another one does', () => {
    const live = inStage(proved);
    for (const id of ['a', 'a', 'b']) once(live, { command: 'note', id }, () => note(live, 'mind'));
    expect([live.notes, live.commands, live.report.commands.map(({ id, accepted }) => [id, accepted])]).toEqual([
      ['mind', 'mind'],
      2,
      [
        ['a', true],
        ['b', true],
      ],
    ]);
  });

  test('a run that is over accepts nothing and says so', () => {
    const live = begun();
    tellRun(live, { type: 'person.cancelled' });
    once(live, { command: 'abort', id: 'a' }, () => abort(live, 'late'));
    expect(live.report.commands).toEqual([{ id: 'a', command: 'abort', accepted: false, detail: 'the run is over' }]);
    expect(stateOf(live)).toBe('cancelled');
  });

  test('a bounded number of ids is remembered', () => {
    const live = inStage(proved);
    for (let at = 0; at < 250; at += 1) once(live, { command: 'pause', id: String(at) }, () => ({ accepted: true, detail: '' }));
    expect([live.seen.length, live.seen.at(-1)]).toEqual([200, '249']);
  });
});

describe('resume', () => {
  test.each<[string, Live, RegExp]>([
    ['an environment that is mended is proved again', inStage({ type: 'ground.failed', ground: badGround('baseline_red') }), /^env_broken → preparing$/],
    [
      'a login is tried again',
      inStage(
        proved,
        { type: 'agent.ended', outcome: outcomes.needs_login, changed: false },
        { type: 'agent.ended', outcome: outcomes.needs_login, changed: false },
      ),
      /^needs_login → working$/,
    ],
    ['a usage limit need not be waited for', inStage(proved, { type: 'agent.ended', outcome: outcomes.limited, changed: false }), /^limited → working$/],
  ])('%s', (_, live, detail) => {
    expect(resume(live, { id: 'a', reseal: false })).toEqual({ accepted: true, detail: expect.stringMatching(detail) });
  });

  test('a choice is answered by choosing, and used up steps by more of them', () => {
    expect(resume(inStage(proved, worked, judged('choice')), { id: 'a', reseal: false })).toEqual({
      accepted: false,
      detail: expect.stringContaining('pdlc choose F1 allow|refuse'),
    });
    const live = begun();
    tellRun(live, { type: 'stage.blocked', reason: 'r' });
    for (let used = 0; used < 4; used += 1) {
      tellRun(live, { type: 'person.resumed' });
      tellRun(live, { type: 'stage.blocked', reason: 'r' });
    }
    tellRun(live, { type: 'person.resumed' });
    expect(stateOf(live)).toBe('capped');
    expect(resume(live, { id: 'a', reseal: false })).toEqual({ accepted: false, detail: expect.stringContaining('pdlc extend F1 --steps +1') });
  });

  test('a pause that the budget keeps up is refused with its reason', () => {
    const live = begun();
    tellRun(live, { type: 'budget.checked', breach: 'budget: all is spent' });
    live.run = advanceRun(live.run, { type: 'stage.passed', moved: true, nextStep: 'pdlc-implement' });
    expect(stateOf(live)).toBe('paused');
    expect(resume(live, { id: 'a', reseal: false })).toEqual({ accepted: false, detail: 'budget: all is spent' });
  });

  test('a reseal is for a stage that has stopped, and for its next entry alone', () => {
    const waiting = inStage({ type: 'ground.failed', ground: badGround('setup_failed') });
    expect(resume(waiting, { id: 'a', reseal: true })).toMatchObject({
      accepted: false,
      detail: expect.stringContaining('--reseal is for a stage that has stopped'),
    });
    expect(waiting.reseal).toBe(false);
    const stopped = begun();
    tellRun(stopped, { type: 'stage.tampered', reason: 'r' });
    expect(resume(stopped, { id: 'a', reseal: true }).accepted).toBe(true);
    expect(stopped.reseal).toBe(true);
    tellRun(stopped, { type: 'stage.tampered', reason: 'r' });
    expect(resume(stopped, { id: 'b', reseal: false }).accepted).toBe(true);
    expect(stopped.reseal).toBe(false);
  });
});

describe('pause and abort', () => {
  test('a pause lets the attempt finish, then waits; resuming goes on', () => {
    const live = inStage(proved);
    expect(pause(live).accepted).toBe(true);
    expect(stateOf(live)).toBe('working');
    tell(live, worked);
    expect(stateOf(live)).toBe('paused');
    expect(resume(live, { id: 'a', reseal: false })).toEqual({ accepted: true, detail: 'paused → judging' });
  });

  test('an abort closes at the next decision, or at once where the run waits, with a bounded reason', () => {
    const moving = inStage(proved);
    expect(abort(moving, `  ${'x'.repeat(5_000)}`).detail.length).toBeLessThanOrEqual(4_000);
    expect(stateOf(moving)).toBe('working');
    const waiting = begun();
    tellRun(waiting, { type: 'stage.blocked', reason: 'r' });
    expect(abort(waiting, '   ')).toEqual({ accepted: true, detail: 'aborted by a person' });
    expect(stateOf(waiting)).toBe('aborted');
  });
});

test('a choice is taken only where one is asked for', () => {
  expect(choose(inStage(proved), true)).toEqual({ accepted: false, detail: 'the run waits for no choice, it is working' });
  const allowed = inStage(proved, worked, judged('choice'));
  expect([choose(allowed, true).accepted, stateOf(allowed)]).toEqual([true, 'judging']);
  const refused = inStage(proved, worked, judged('choice'));
  expect([choose(refused, false).detail, stateOf(refused)]).toEqual(['refused', 'repairing']);
});

test('notes are bounded and kept for every further prompt', () => {
  const live = inStage(proved);
  for (const text of ['one', 'n'.repeat(5_000)]) note(live, text);
  expect(live.notes.map((text) => text.length)).toEqual([3, 4_000]);
});

describe('extend', () => {
  test('a limit is set or raised, for the run and its stages, and recorded', () => {
    const live = inStage(proved);
    expect(extend(live, [set('usd', 5, true), set('wall', 60_000), set('tokens', 100, true)])).toEqual({
      accepted: true,
      detail: 'usd 20 → 25, wall 1800000 → 60000, tokens none → 100',
    });
    expect(live.report.limits).toMatchObject({ usd: 25, wall: 60_000, tokens: 100 });
    expect(live.input.config).toMatchObject({ limits: { usd: 25 }, stages: { tdd: { wall: 60_000, attempts: 2 }, review: { wall: 60_000 } } });
  });

  test.each<[string, Extension, RegExp]>([
    ['steps', set('steps', 0), /^limits.steps: 1 are used already/],
    ['money', set('usd', 2), /^limits.usd: 3 are spent already, 2 would be below/],
    ['tokens', set('tokens', 10), /^limits.tokens: 15 are used already/],
    ['time', set('deadline', 1_000), /^limits.deadline: 2000 ms have passed already/],
    ['a negative limit', set('usd', -50, true), /^limits.usd: /],
    ['a fraction of a step', set('steps', 0.5, true), /^limits.steps: /],
    ['no number', set('wall', Number.NaN), /^limits.wall: /],
  ])('%s below what is used, or out of range, is refused whole', (_, extension, detail) => {
    const live = inStage(proved);
    const tokens = { in: 10, out: 5, cacheRead: 0, cacheWrite: 0 };
    live.report = { ...live.report, spend: { ...live.report.spend, usdKnown: 3, tokens } };
    live.activeMs = 2_000;
    const before = structuredClone(live.report.limits);
    expect(extend(live, [set('attempts', 1, true), extension])).toEqual({ accepted: false, detail: expect.stringMatching(detail) });
    expect([live.report.limits, live.input.config.limits]).toEqual([before, before]);
  });

  test('money for a run that the budget paused lets it go on', () => {
    const live = inStage(proved, { type: 'budget.checked', breach: 'budget: all is spent' }, { type: 'agent.ended', outcome: outcomes.failed, changed: true });
    expect(stateOf(live)).toBe('paused');
    extend(live, [set('usd', 5, true)]);
    expect(stateOf(live)).toBe('repairing');
  });

  test('money for one attempt holds for the attempt that broke the limit as well', () => {
    const live = inStage(proved);
    live.last = { usd: 6, usdMax: 5 };
    extend(live, [set('usdPerAttempt', 7)]);
    expect(breachOf(live.report.spend, live.report.limits, live.last)).toBeNull();
  });

  test('more steps lead out of the cap', () => {
    const live = begun();
    for (let used = 0; used < 5; used += 1) {
      tellRun(live, { type: 'stage.blocked', reason: 'r' });
      tellRun(live, { type: 'person.resumed' });
    }
    expect(stateOf(live)).toBe('capped');
    expect([extend(live, [set('steps', 1, true)]).accepted, stateOf(live)]).toEqual([true, 'deciding']);
  });
});
