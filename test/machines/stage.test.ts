// Guarantees of one stage as a person would tell them: who wins when several things are true at once, what is charged, what a reason says.
import { describe, expect, test } from 'vitest';
import { isCharged } from '../../machines/contract/attempt.js';
import { groundFaults } from '../../machines/contract/verdict.js';
import { infrastructureMax, type StageEvent, type StageInput } from '../../machines/stage.js';
import { advanceStage, beginStage, type StageSnapshot } from '../../machines/step.js';
import { badGround, outcomes, verdicts } from './facts.js';

const implement: StageInput = { stage: 'implement', entry: 'work', attemptsMax: 2 };
const review: StageInput = { stage: 'review', entry: 'judge', attemptsMax: 2 };

const proved: StageEvent = { type: 'ground.proved' };
const pause: StageEvent = { type: 'person.paused' };
const resume: StageEvent = { type: 'person.resumed' };
const abort: StageEvent = { type: 'person.aborted', reason: 'enough' };
const breach: StageEvent = { type: 'budget.checked', breach: 'too dear' };
const paid: StageEvent = { type: 'budget.checked', breach: null };
const broken: StageEvent = { type: 'infrastructure.failed', reason: 'disk full' };
const timer: StageEvent = { type: 'timer.fired' };
const agent = (kind: keyof typeof outcomes, changed = true): StageEvent => ({ type: 'agent.ended', outcome: outcomes[kind], changed });
const verdict = (kind: keyof typeof verdicts): StageEvent => ({ type: 'verdict.reached', verdict: verdicts[kind] });
const ground = (fault: (typeof groundFaults)[number]): StageEvent => ({ type: 'ground.failed', ground: badGround(fault) });
const chose = (allow: boolean): StageEvent => ({ type: 'person.chose', allow });

const done = agent('finished');
const judging = [proved, done];
const rejected = [...judging, verdict('reject')];
const lastJudging = [...rejected, done];

describe('of two things that are true at once', () => {
  test.each<[string, StageEvent[], string]>([
    [
      'infrastructure that keeps failing wins over an abort',
      [...judging, ...Array<StageEvent>(infrastructureMax - 1).fill(broken), abort, broken],
      'env_broken',
    ],
    ['a ground that fails wins over an abort', [abort, ground('baseline_red')], 'env_broken'],
    ['an abort ends a stage whose infrastructure failed once', [...judging, abort, broken], 'aborted'],
    ['an abort wins over a pause', [...judging, pause, abort, verdict('reject')], 'aborted'],
    ['an abort wins over a pass', [...judging, abort, verdict('pass')], 'aborted'],
    ['an abort wins over a ground that is green already', [abort, ground('already_green')], 'aborted'],
    ['a pause waits for infrastructure that failed once', [...judging, pause, broken], 'paused'],
    ['a pause wins over a pass', [...judging, pause, verdict('pass')], 'paused'],
    ['a pause wins over a usage limit', [proved, pause, agent('limited')], 'paused'],
    ['a pause wins over a rejection', [...judging, pause, verdict('reject')], 'paused'],
    ['a pause wins over the judgement of finished work', [proved, pause, done], 'paused'],
    ['a pass wins over a breached budget', [...judging, breach, verdict('pass')], 'passed'],
    ['a pass in the last attempt wins over the cap', [...lastJudging, verdict('pass')], 'passed'],
    ['a breached budget waits before the repair', [...judging, breach, verdict('reject')], 'paused'],
    ['a breached budget waits before the repair of a tampering', [...judging, breach, verdict('tampered')], 'paused'],
    ['finished work is judged over a breached budget', [proved, breach, done], 'judging'],
    ['the last rejection wins over a breached budget', [...lastJudging, breach, verdict('reject')], 'blocked'],
    ['an unchanged tree wins over the last rejection', [...rejected, agent('finished', false), verdict('reject')], 'stuck'],
    ['tampering in the last attempt wins over its rejection', [...lastJudging, verdict('tampered')], 'integrity'],
    ['tampering twice asks for a person', [...judging, verdict('tampered'), done, verdict('tampered')], 'integrity'],
    ['a question wins over a breached budget', [...judging, breach, verdict('choice')], 'awaiting_choice'],
    ['no verdict is never repaired', [...judging, verdict('unknown')], 'blocked'],
  ])('%s', (_name, events, state) => {
    expect(told(implement, events).value).toBe(state);
  });
});

test.each(Object.values(outcomes))('an agent that ends $kind uses up an attempt only if it did so itself', (outcome) => {
  const { context } = told(implement, [proved, { type: 'agent.ended', outcome, changed: true }]);
  expect([context.attempts, context.retries]).toEqual(isCharged(outcome) ? [1, 0] : [0, 1]);
});

test.each<[keyof typeof outcomes, string]>([
  ['finished', 'judging'],
  ['failed', 'repairing'],
  ['signalled', 'repairing'],
  ['timed_out', 'repairing'],
  ['silent', 'repairing'],
  ['flooded', 'repairing'],
  ['lost', 'working'],
  ['limited', 'limited'],
  ['needs_login', 'working'],
  ['misconfigured', 'env_broken'],
])('after a first agent that ends %s the stage is %s', (kind, state) => {
  expect(told(implement, [proved, agent(kind)]).value).toBe(state);
});

test.each(groundFaults)('a ground that is %s starts no agent and says why', (fault) => {
  const { value, context } = told(implement, [ground(fault)]);
  expect([value, context.reason]).toEqual([fault === 'already_green' ? 'blocked' : 'env_broken', `the ground is ${fault}`]);
});

test('a rejection is repaired once and then stops with its reason', () => {
  expect(told(implement, rejected).value).toBe('repairing');
  const { value, context } = told(implement, [...lastJudging, verdict('reject')]);
  expect([value, context.reason, context.attempts]).toEqual(['blocked', 'unit failed (exit 1)', 2]);
});

test('a review is judged first and leaves one fixer', () => {
  expect(told(review, [proved]).value).toBe('judging');
  expect(told(review, [proved, verdict('reject')]).value).toBe('repairing');
  expect(told(review, [proved, verdict('reject'), done, verdict('reject')]).value).toBe('blocked');
});

test('an evaluator is not started for a review whose budget is breached', () => {
  expect(told(review, [breach, proved]).value).toBe('paused');
  expect(told(review, [breach, proved, resume]).value).toBe('paused');
  expect(told(review, [breach, proved, paid]).value).toBe('judging');
});

test('the work of a person is judged before any agent, and passes without one', () => {
  const handed: StageInput = { ...implement, entry: 'judge' };
  expect(told(handed, [proved]).value).toBe('judging');
  const { value, context } = told(handed, [proved, verdict('pass')]);
  expect([value, context.attempts]).toEqual(['passed', 0]);
});

test('with no attempt allowed no agent starts', () => {
  const { value, context } = told({ ...implement, attemptsMax: 0 }, [proved]);
  expect([value, context.reason]).toEqual(['stuck', 'no attempt is allowed (limits.attempts is 0)']);
});

describe('waiting', () => {
  test('a usage limit goes on by its timer or by a person, with the same attempt', () => {
    for (const event of [timer, resume])
      expect(told(implement, [...rejected, agent('limited'), event])).toMatchObject({ value: 'repairing', context: { attempts: 1 } });
    expect(told(implement, [proved, agent('limited')]).context.until).toBe(1_000);
  });

  test('a pause that was asked for during a usage limit holds when the timer fires', () => {
    expect(told(implement, [proved, agent('limited'), pause, timer]).value).toBe('paused');
  });

  test('a login is tried twice before a person is asked', () => {
    const { value, context } = told(implement, [proved, agent('needs_login'), agent('needs_login')]);
    expect([value, context.attempts]).toEqual(['needs_login', 0]);
  });

  test.each(['env_broken', 'needs_login', 'limited'])('a resume drops the pause that was asked for before or during %s', (state) => {
    const ways: Record<string, StageEvent[]> = {
      env_broken: [pause, ground('baseline_red'), resume, proved],
      needs_login: [proved, agent('needs_login'), agent('needs_login'), pause, resume],
      limited: [proved, agent('limited'), pause, resume],
    };
    expect(told(implement, ways[state] ?? []).value).toBe('working');
  });

  test('infrastructure that is back lets judging go on where it was, without another agent', () => {
    const failing = Array<StageEvent>(infrastructureMax).fill(broken);
    expect(told(implement, [...judging, ...failing, resume, proved]).value).toBe('judging');
    const handed: StageInput = { ...implement, entry: 'judge' };
    expect(told(handed, [proved, verdict('choice'), chose(true), ...failing, resume, proved]).value).toBe('judging');
  });

  test('only failures in a row count', () => {
    const { value, context } = told(implement, [...judging, broken, broken, verdict('reject'), broken, broken]);
    expect([value, context.attempts]).toEqual(['repairing', 1]);
  });

  test('a pause by a person outlives a new limit, and one for the budget does not', () => {
    expect(told(implement, [...judging, breach, verdict('reject'), paid]).value).toBe('repairing');
    expect(told(implement, [...judging, breach, verdict('reject'), resume]).value).toBe('paused');
    expect(told(implement, [...judging, breach, verdict('reject'), pause, paid]).value).toBe('paused');
  });

  test('a person who allows new dependencies has the same work judged again, under a new mark', () => {
    const { value, context } = told(implement, [...judging, verdict('choice'), chose(true)]);
    expect([value, context.allowDependencies, context.attempts, context.retries]).toEqual(['judging', true, 1, 1]);
  });

  test('a person who refuses new dependencies has them repaired, or stops the stage with both reasons', () => {
    expect(told(implement, [...judging, verdict('choice'), chose(false)]).value).toBe('repairing');
    const { value, context } = told(implement, [...lastJudging, verdict('choice'), chose(false)]);
    expect([value, context.reason]).toEqual(['blocked', 'a person refused: package.json changed']);
  });
});

describe('a reason', () => {
  test.each<[string, StageEvent[]]>([
    ['a last rejection', [...lastJudging, pause, verdict('reject'), resume]],
    ['a missing verdict', [...judging, pause, verdict('unknown'), resume]],
    ['tampering', [...lastJudging, pause, verdict('tampered'), resume]],
    ['a question', [...judging, pause, verdict('choice'), resume]],
    ['a usage limit', [proved, pause, agent('limited'), resume]],
  ])('outlives a pause: %s', (_name, events) => {
    const withoutPause = events.filter((event) => event !== pause && event !== resume);
    expect(told(implement, events).context.reason).toBe(told(implement, withoutPause).context.reason);
  });

  test('says paused while paused, and the reason of the abort after one', () => {
    const paused = [...judging, pause, verdict('reject')];
    expect(told(implement, paused).context.reason).toBe('paused by a person');
    expect(told(implement, [...paused, abort]).context.reason).toBe('enough');
    expect(told(implement, [...judging, abort, verdict('reject')]).context.reason).toBe('enough');
  });

  test('of a ground that was put right is not told again', () => {
    expect(told({ ...implement, attemptsMax: 0 }, [ground('baseline_red'), resume, proved]).context.reason).toMatch(/no attempt is allowed/);
  });
});

function told(input: StageInput, events: StageEvent[]): StageSnapshot {
  return events.reduce(advanceStage, beginStage(input));
}
