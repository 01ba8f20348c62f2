// Guarantees over random runs: whatever agents, hosts and persons do, and wherever the process dies in between.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFinal, isWaiting, runStates } from '../../machines/contract/run-state.js';
import { type Stage, stageIndex, stages } from '../../machines/contract/stage.js';
import { save } from '../../machines/step.js';
import { drive, type Moment, type Scene } from '../helpers/drive.js';

const runs = 8_000;
const twins = 1_000;

const scenes: fc.Arbitrary<Scene> = fc.record({
  stage: fc.constantFrom(...stages),
  entry: fc.constantFrom('work', 'judge'),
  honor: fc.boolean(),
  stepsMax: fc.constantFrom(4, 4, 3, 2, 1, 0),
  attemptsMax: fc.constantFrom(2, 2, 3, 1, 0),
  usd: fc.constantFrom(20, 20, 20, 5, 0),
});
// What lies behind the tape's end is the quiet world: all goes well and nobody says a word.
const tapes = fc.array(fc.nat(251), { maxLength: 50, size: 'max' });
const neverCrashes = (): boolean => false;

test('every run comes to rest within its steps, in a state of the list, and keeps the laws at every moment', { timeout: 120_000 }, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(scenes, tapes, (scene, tape) => {
      const moments = drive(scene, { choose: playing(tape), crash: neverCrashes });
      for (const moment of moments) seen.add(moment.state);
      expect(brokenLaws(moments, scene)).toEqual([]);
    }),
    { numRuns: runs },
  );
  expect([...seen].sort()).toEqual([...runStates].sort());
});

test('dying and being restored between any two events changes nothing', { timeout: 120_000 }, () => {
  const crashes = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(scenes, tapes, crashes, (scene, tape, when) => {
      let at = 0;
      const dying = drive(scene, { choose: playing(tape), crash: () => when[at++ % when.length] ?? true });
      expect(dying.map(plain)).toEqual(drive(scene, { choose: playing(tape), crash: neverCrashes }).map(plain));
    }),
    { numRuns: twins },
  );
});

test('a quiet world takes a feature from tdd to review_done in three steps', () => {
  const last = drive(quiet, { choose: () => 0, crash: neverCrashes }).at(-1);
  expect([last?.state, last?.run.context.steps, last?.agents]).toEqual(['review_done', 3, 2]);
});

test('a budget of nothing starts no agent at all', () => {
  for (const stage of stages) {
    const moments = drive({ ...quiet, stage, usd: 0 }, { choose: () => 0, crash: neverCrashes });
    expect(moments.map(({ agents, stage: at }) => [agents, at?.value === 'judging'])).toEqual(moments.map(() => [0, false]));
    expect(moments.at(-1)?.state).toBe('paused');
  }
});

const quiet: Scene = { stage: 'tdd', entry: 'work', honor: false, stepsMax: 4, attemptsMax: 2, usd: 20 };

function playing(tape: readonly number[]): (count: number) => number {
  let at = 0;
  return (count) => (tape[at++] ?? 0) % count;
}

function brokenLaws(moments: readonly Moment[], scene: Scene): string[] {
  const last = moments.at(-1);
  const rests = last !== undefined && (isFinal(last.state) || isWaiting(last.state));
  const broken = moments.flatMap((moment, index) => {
    const laws = lawsAt(moment, moments[index - 1] ?? moment, scene);
    return Object.entries(laws).flatMap(([law, isKept]) => (isKept ? [] : [`${index} ${moment.event} → ${moment.state}: ${law}`]));
  });
  return rests ? broken : [...broken, 'it comes to rest'];
}

function lawsAt({ state, run, stage, agents }: Moment, before: Moment, { attemptsMax }: Scene): Record<string, boolean> {
  const { steps, stepsMax, retries } = run.context;
  const shown = stage?.status === 'active' ? stage.context.reason : run.context.reason;
  return {
    'the stage never falls': rankOf(run.context.stage) >= rankOf(before.run.context.stage),
    'steps stay below their cap': steps <= stepsMax,
    'resumes are bounded by steps': retries <= steps,
    'attempts stay below their cap': (stage?.context.attempts ?? 0) <= attemptsMax,
    'no agent starts over the budget': agents === before.agents || before.stage?.context.breach === null,
    'only a pause says paused': state === 'paused' || shown !== 'paused by a person',
    'waiting says why': !isWaiting(state) || shown !== null,
    'success has no reason against it': !/done/.test(state) || shown === null,
  };
}

function rankOf(stage: Stage | null): number {
  return stage === null ? -1 : stageIndex(stage);
}

function plain({ state, run, stage, event }: Moment): unknown {
  return [state, event, save(run), stage && save(stage)];
}
