// The recorded histories show every kind of end and wait, and every event of the machines: what an upgrade meets is replayed beforehand.
import { beforeAll, describe, expect, test } from 'vitest';
import { finalStates, movingStates, waitingStates } from '../../machines/contract/run-state.js';
import { runMachine } from '../../machines/run.js';
import { stageMachine } from '../../machines/stage.js';
import { changedBundle } from './changed-bundle.js';
import { quietReplay, recordedHistories, replay } from './histories.js';

type Step = { machine: string; event: string; from: string; to: string };

/** Tells every step of a machine, also while it is replayed. */
const traced = changedBundle({
  file: 'machines/step.ts',
  from: 'const [next, effects] = transition(machine, snapshot, event);',
  to: `const [next, effects] = transition(machine, snapshot, event);
  const args = [{ machine: machine.id, event: event.type, from: snapshot.value, to: next.value }];
  const { sinkCalls, info: workflowInfo } = globalThis.__TEMPORAL_ACTIVATOR__;
  sinkCalls.push({ ifaceName: 'trace', fnName: 'step', workflowInfo, args });`,
});

const histories = recordedHistories();
const steps = new Map<string, Step[]>(histories.map(({ name }) => [name, []]));

beforeAll(async () => {
  quietReplay();
  const step = { fn: ({ workflowId }: { workflowId: string }, seen: Step) => void steps.get(workflowId)?.push(seen), callDuringReplay: true };
  await replay(traced, histories, { trace: { step } });
});

describe('among the recorded histories', () => {
  test.each(finalStates)('there is a run that ended as %s', (state) => expect(endsIn(state)).not.toEqual([]));

  test.each(waitingStates)('there is an open run that is %s', (state) => expect(endsIn(state)).not.toEqual([]));

  // `deciding` is left open only while a stage is published, when its machine is over.
  test.each(movingStates)('there is an open run that is %s', (state) => expect(endsIn(state)).not.toEqual([]));

  test.each([runMachine, stageMachine])('every event of the $id machine leads on somewhere', ({ id, events }) => {
    const all = [...steps.values()].flat().filter(({ machine }) => machine === id);
    expect(events.filter((type) => !all.some(({ event }) => event === type))).toEqual([]);
  });

  test.each([runMachine, stageMachine])('every state of the $id machine is reached', ({ id, states }) => {
    const seen = new Set([...steps.values()].flat().flatMap(({ machine, from, to }) => (machine === id ? [from, to] : [])));
    expect(Object.keys(states).filter((state) => state !== 'deciding' && !seen.has(state))).toEqual([]);
  });

  test('there is a run that goes on in a fresh history, and the history it goes on in', () => {
    expect(histories.filter(({ name }) => /-[12]$/.test(name)).map(({ name }) => name)).toEqual(['rolled-over-1', 'rolled-over-2']);
  });
});

/** The histories whose run is left in a state, as a person would see it. */
function endsIn(state: string): string[] {
  return [...steps].filter(([, seen]) => lastState(seen) === state).map(([name]) => name);
}

function lastState(seen: Step[]): string | undefined {
  const run = seen.findLast(({ machine }) => machine === 'run')?.to;
  const stage = seen.at(-1)?.machine === 'stage' ? seen.at(-1)?.to : undefined;
  if (stage === undefined) return run;
  return ['passed', 'blocked', 'stuck', 'integrity', 'aborted'].includes(stage) ? 'deciding' : stage;
}
