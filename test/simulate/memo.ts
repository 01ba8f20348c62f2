// Owns a quick way to step the machines in place of XState's own, which makes an actor for every step: one inert actor per machine, and a memory of steps.
// The machines are pure, so that the same step has the same end.
import { type AnyStateMachine, createActor, type EventFrom, type SnapshotFrom } from 'xstate';

export { assign, setup } from 'xstate';

/** Steps remembered before all are forgotten. */
const stepsMax = 200_000;

type Stepped = [SnapshotFrom<AnyStateMachine>, unknown[]];
type Scope = Parameters<AnyStateMachine['transition']>[2];

const steps = new Map<string, Stepped>();
const names = new WeakMap<object, string>();
const machines = new Map<AnyStateMachine, { number: number; scope: Scope }>();
let effects: unknown[] = [];

/** XState's. */
export function initialTransition(machine: AnyStateMachine, input: unknown): Stepped {
  const { number, scope } = known(machine);
  return remembered(`${number} ${JSON.stringify(input)}`, () => machine.getInitialSnapshot(scope, input));
}

/** XState's. */
export function transition(machine: AnyStateMachine, snapshot: SnapshotFrom<AnyStateMachine>, event: EventFrom<AnyStateMachine>): Stepped {
  const { number, scope } = known(machine);
  return remembered(`${number} ${nameOf(snapshot)} ${JSON.stringify(event)}`, () => machine.transition(snapshot, event, scope));
}

function remembered(key: string, step: () => SnapshotFrom<AnyStateMachine>): Stepped {
  const before = steps.get(key);
  if (before) return before;
  if (steps.size > stepsMax) steps.clear();
  effects = [];
  const stepped: Stepped = [step(), effects];
  steps.set(key, stepped);
  return stepped;
}

function known(machine: AnyStateMachine): { number: number; scope: Scope } {
  const before = machines.get(machine);
  if (before) return before;
  const self = createActor(machine);
  const quiet = { defer: () => {}, id: '', logger: () => {}, sessionId: '', stopChild: () => {}, emit: () => {} };
  const scope = { ...quiet, self, system: self.system, actionExecutor: (effect: unknown) => effects.push(effect) } as unknown as Scope; // as XState's own inert scope
  machines.set(machine, { number: machines.size, scope });
  return known(machine);
}

function nameOf(snapshot: SnapshotFrom<AnyStateMachine>): string {
  const name = names.get(snapshot) ?? JSON.stringify([snapshot.value, snapshot.context]);
  names.set(snapshot, name);
  return name;
}
