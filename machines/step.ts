// Owns the only two ways to step a machine. Everything else about XState stays inside machines/, so that its API is used in one place.
import { type AnyStateMachine, type EventFrom, type InputFrom, initialTransition, type SnapshotFrom, transition } from 'xstate';
import { type RunEvent, type RunMachineInput, runMachine } from './run.js';
import { type StageEvent, type StageInput, stageMachine } from './stage.js';

/** Snapshot of a run; `value` is its state, `context` its memory. */
export type RunSnapshot = SnapshotFrom<typeof runMachine>;
/** Snapshot of a stage. */
export type StageSnapshot = SnapshotFrom<typeof stageMachine>;
/** The part of a snapshot that continue-as-new carries: plain JSON. */
export type Saved<S extends RunSnapshot | StageSnapshot> = { value: S['value']; context: S['context'] };

/** A run at its beginning, or where it was saved. */
export const beginRun = (input: RunMachineInput): RunSnapshot => begin(runMachine, input);
/** A stage at its beginning. */
export const beginStage = (input: StageInput): StageSnapshot => begin(stageMachine, input);
/** A saved run, restored. */
export const restoreRun = (saved: Saved<RunSnapshot>): RunSnapshot => runMachine.resolveState(saved);
/** A saved stage, restored. */
export const restoreStage = (saved: Saved<StageSnapshot>): StageSnapshot => stageMachine.resolveState(saved);
/** The part of a snapshot worth carrying. */
export const save = <S extends RunSnapshot | StageSnapshot>(snapshot: S): Saved<S> => ({ value: snapshot.value, context: snapshot.context });

/** The run after one event; an event that its state does not know changes nothing. */
export const advanceRun = (snapshot: RunSnapshot, event: RunEvent): RunSnapshot => advance(runMachine, snapshot, event);
/** The stage after one event; an event that its state does not know changes nothing. */
export const advanceStage = (snapshot: StageSnapshot, event: StageEvent): StageSnapshot => advance(stageMachine, snapshot, event);

function begin<M extends AnyStateMachine>(machine: M, input: InputFrom<M>): SnapshotFrom<M> {
  const [snapshot, effects] = initialTransition(machine, input);
  return pure(snapshot, effects);
}

function advance<M extends AnyStateMachine>(machine: M, snapshot: SnapshotFrom<M>, event: EventFrom<M>): SnapshotFrom<M> {
  const [next, effects] = transition(machine, snapshot, event);
  return pure(next, effects);
}

function pure<S>(snapshot: S, effects: readonly unknown[]): S {
  if (effects.length > 0) throw new Error('a machine asked for an effect; machines decide, workflows do');
  return snapshot;
}
