// Owns one run: which stage is dispatched when, and where a run waits or ends. Pure: no clock, no I/O, no effects. It knows no way to ship.
import { assign, setup } from 'xstate';
import { type Stage, stageIndex } from './contract/stage.js';
import { nextOfStep } from './contract/state-file.js';

/** `stage` is where the run starts, `stepsMax` the step cap; `honor`: without an oracle the run can only end `done_unverified`. */
export type RunMachineInput = { stage: Stage; entry: 'work' | 'judge'; stepsMax: number; honor: boolean };

/**
 * Everything a run remembers; small and JSON. `next` is what the next mapping says, `entry` how that stage is entered, `steps` counts dispatches,
 * `retries` entries by a person's resume, `reason` why the run waits or ended.
 */
export type RunContext = {
  stepsMax: number;
  honor: boolean;
  stage: Stage | null;
  next: { kind: 'stage'; stage: Stage } | { kind: 'done' } | { kind: 'blocked'; reason: string };
  entry: 'work' | 'judge';
  steps: number;
  retries: number;
  reason: string | null;
  pause: boolean;
  abort: string | null;
  breach: string | null;
};

/** Facts that a run is told. `moved`: the state file read back after the stage really went on. */
export type RunEvent =
  | { type: 'stage.passed'; moved: boolean; nextStep: string | null }
  | { type: 'stage.blocked'; reason: string }
  | { type: 'stage.stuck'; reason: string }
  | { type: 'stage.tampered'; reason: string }
  | { type: 'stage.aborted'; reason: string }
  | { type: 'budget.checked'; breach: string | null }
  | { type: 'steps.extended'; stepsMax: number }
  | { type: 'deadline.passed' }
  | { type: 'person.resumed' }
  | { type: 'person.paused' }
  | { type: 'person.aborted'; reason: string }
  | { type: 'person.cancelled' };

const machine = setup({
  types: {} as { context: RunContext; input: RunMachineInput; events: RunEvent },
  guards: {
    abortAsked: ({ context }) => context.abort !== null,
    pauseAsked: ({ context }) => context.pause,
    verifiedDone: ({ context }) => context.next.kind === 'done' && !context.honor,
    unverifiedDone: ({ context }) => context.next.kind === 'done',
    nextBlocked: ({ context }) => context.next.kind === 'blocked',
    budgetBreached: ({ context }) => context.breach !== null,
    stepsUsedUp: ({ context }) => context.steps >= context.stepsMax,
    nextIs: ({ context }, stage: Stage) => context.next.kind === 'stage' && context.next.stage === stage,
    didNotMove: ({ event }) => event.type === 'stage.passed' && !event.moved,
  },
  actions: {
    dispatch: assign(({ context }) => (context.next.kind === 'stage' ? { stage: context.next.stage, steps: context.steps + 1, reason: null } : {})),
    takeNext: assign(({ context, event }) => (event.type === 'stage.passed' ? { next: nextAfter(context.stage, event.nextStep), entry: 'work' as const } : {})),
    recordReason: assign(({ event }) => ('reason' in event ? { reason: event.reason } : {})),
    enterAgain: assign(({ context }) => ({ entry: 'judge' as const, retries: context.retries + 1, next: again(context) })),
    askPause: assign({ pause: true }),
    dropPause: assign({ pause: false }),
    askAbort: assign(({ event }) => (event.type === 'person.aborted' ? { abort: event.reason, reason: event.reason } : {})),
    recordBreach: assign(({ event }) => (event.type === 'budget.checked' ? { breach: event.breach } : {})),
    raiseSteps: assign(({ context, event }) => (event.type === 'steps.extended' && event.stepsMax >= context.steps ? { stepsMax: event.stepsMax } : {})),
    explainAbort: assign(({ context }) => ({ reason: context.abort })),
    explainDone: assign({ reason: null }),
    explainPause: assign({ reason: 'paused by a person' }),
    explainBreach: assign(({ context }) => ({ reason: context.breach })),
    explainCap: assign(({ context }) => ({ reason: `all ${context.stepsMax} steps are used` })),
    explainNext: assign(({ context }) => ({ reason: context.next.kind === 'blocked' ? context.next.reason : context.reason })),
    explainStill: assign({ reason: 'the stage passed, but the state file did not move on' }),
    explainDeadline: assign({ reason: 'the deadline of the run has passed' }),
    explainCancel: assign({ reason: 'cancelled by a person' }),
  },
});

const anyTime = {
  'person.cancelled': { target: '#run.cancelled', actions: 'explainCancel' },
  'steps.extended': { actions: 'raiseSteps' },
  'budget.checked': { actions: 'recordBreach' },
  'person.paused': { actions: 'askPause' },
} as const;
const abortFirst = { guard: 'abortAsked', target: 'aborted', actions: 'explainAbort' } as const;
const stage = machine.createStateConfig({
  entry: 'dispatch',
  on: {
    ...anyTime,
    'stage.passed': [abortFirst, { guard: 'didNotMove', target: 'stuck', actions: ['takeNext', 'explainStill'] }, { target: 'deciding', actions: 'takeNext' }],
    'stage.blocked': [abortFirst, { target: 'blocked', actions: 'recordReason' }],
    'stage.stuck': [abortFirst, { target: 'stuck', actions: 'recordReason' }],
    'stage.tampered': [abortFirst, { target: 'integrity', actions: 'recordReason' }],
    'stage.aborted': { target: 'aborted', actions: 'recordReason' },
    'deadline.passed': [abortFirst, { target: 'expired', actions: 'explainDeadline' }],
    'person.resumed': { actions: 'dropPause' },
    'person.aborted': { actions: 'askAbort' },
  },
});
const stopped = machine.createStateConfig({
  on: {
    ...anyTime,
    'person.resumed': { target: 'deciding', actions: ['dropPause', 'enterAgain'] },
    'person.aborted': { target: 'aborted', actions: 'askAbort' },
  },
});

/** The run machine; step it only through `machines/step.ts`. */
export const runMachine = machine.createMachine({
  id: 'run',
  initial: 'deciding',
  context: ({ input }) => ({
    stepsMax: input.stepsMax,
    honor: input.honor,
    stage: null,
    next: { kind: 'stage', stage: input.stage },
    entry: input.entry,
    steps: 0,
    retries: 0,
    reason: null,
    pause: false,
    abort: null,
    breach: null,
  }),
  states: {
    // Between stages; the first match wins.
    deciding: {
      always: [
        abortFirst,
        { guard: 'pauseAsked', target: 'paused', actions: 'explainPause' },
        { guard: 'verifiedDone', target: 'review_done', actions: 'explainDone' },
        { guard: 'unverifiedDone', target: 'done_unverified', actions: 'explainDone' },
        { guard: 'nextBlocked', target: 'blocked', actions: 'explainNext' },
        { guard: 'budgetBreached', target: 'paused', actions: 'explainBreach' },
        { guard: 'stepsUsedUp', target: 'capped', actions: 'explainCap' },
        { guard: { type: 'nextIs', params: 'tdd' }, target: 'tdd' },
        { guard: { type: 'nextIs', params: 'implement' }, target: 'implement' },
        { target: 'review' },
      ],
    },
    tdd: stage,
    implement: stage,
    review: stage,
    blocked: stopped,
    stuck: stopped,
    integrity: stopped,
    capped: {
      on: {
        ...anyTime,
        'steps.extended': { target: 'deciding', actions: 'raiseSteps' },
        'person.aborted': { target: 'aborted', actions: 'askAbort' },
      },
    },
    paused: {
      on: {
        ...anyTime,
        'person.resumed': { target: 'deciding', actions: 'dropPause' },
        'budget.checked': { target: 'deciding', actions: 'recordBreach' },
        'person.aborted': { target: 'aborted', actions: 'askAbort' },
      },
    },
    review_done: { type: 'final' },
    done_unverified: { type: 'final' },
    aborted: { type: 'final' },
    cancelled: { type: 'final' },
    expired: { type: 'final' },
  },
});

function nextAfter(stage: Stage | null, nextStep: string | null): RunContext['next'] {
  const next = nextOfStep(nextStep);
  const blocked = (found: string): RunContext['next'] => ({ kind: 'blocked', reason: `${stage} passed, but the state file ${found}` });
  // Only a review that passed in this run may end it as done, and only a person enters a stage a second time, whatever the file says.
  if (next.kind === 'done' && stage !== 'review') return blocked('says done, although review has not passed');
  if (next.kind === 'stage' && stage && stageIndex(next.stage) <= stageIndex(stage)) return blocked(`names ${next.stage} next; a run only goes forward`);
  return next;
}

function again(context: RunContext): RunContext['next'] {
  // A stage that passed but did not move is not entered again where the file names its successor: the person has put the file right.
  return context.next.kind === 'blocked' && context.stage ? { kind: 'stage', stage: context.stage } : context.next;
}
