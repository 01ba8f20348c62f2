// Owns one stage: which attempts it gets and how it ends. Pure: no clock, no I/O, no effects; `deciding` is the whole order of decisions.
import { assign, setup } from 'xstate';
import type { AgentOutcome } from './contract/attempt.js';
import type { Ground, Verdict } from './contract/verdict.js';
import type { Fact, StageContext, StageInput } from './stage-memory.js';
import { afresh, afterAgent, afterGround, afterInfrastructure, afterVerdict, attemptLeft, freshMemory, judgesFirst } from './stage-memory.js';

export type { StageInput } from './stage-memory.js';

/** Infrastructure failures in a row that a stage survives before it asks for a person. */
export const infrastructureMax = 3;
/** Agent starts that may end in a login failure before a person is asked. */
const loginsMax = 2;
/** Attempts that may end in tampering before a person is asked. */
const tamperingsMax = 2;

/** Facts that a stage is told; past tense. */
export type StageEvent =
  | { type: 'ground.proved' }
  | { type: 'ground.failed'; ground: Extract<Ground, { kind: 'failed' }> }
  | { type: 'agent.ended'; outcome: AgentOutcome; changed: boolean }
  | { type: 'work.captured'; changed: boolean }
  | { type: 'verdict.reached'; verdict: Verdict }
  | { type: 'infrastructure.failed'; reason: string }
  | { type: 'budget.checked'; breach: string | null }
  | { type: 'timer.fired' }
  | { type: 'person.resumed' }
  | { type: 'person.paused' }
  | { type: 'person.aborted'; reason: string }
  | { type: 'person.chose'; allow: boolean };

const machine = setup({
  types: {} as { context: StageContext; input: StageInput; events: StageEvent },
  guards: {
    is: ({ context }, fact: Fact) => context.fact === fact,
    infrastructureKeepsFailing: ({ context }) => context.fact === 'infrastructure' && context.infrastructure >= infrastructureMax,
    infrastructureFailedWhileJudging: ({ context }) => context.fact === 'infrastructure' && context.phase === 'judge',
    abortAsked: ({ context }) => context.abort !== null,
    pauseAsked: ({ context }) => context.pause,
    loginKeepsFailing: ({ context }) => context.fact === 'needs_login' && context.logins >= loginsMax,
    tamperingEndsStage: ({ context }) => context.fact === 'tampered' && (context.tamperings >= tamperingsMax || !attemptLeft(context)),
    judgeFirst: ({ context }) => judgesFirst(context),
    evaluatorOverBudget: ({ context }) => context.breach !== null && context.stage === 'review' && judgesFirst(context),
    budgetBreached: ({ context }) => context.breach !== null && attemptLeft(context),
    firstAttempt: ({ context }) => context.entry === 'work' && context.attempts === 0 && attemptLeft(context),
    attemptLeft: ({ context }) => attemptLeft(context),
    nothingChanged: ({ context }) => !context.changed && context.stage !== 'review',
  },
  actions: {
    recordGround: assign(({ event }) => (event.type === 'ground.failed' ? afterGround(event.ground) : {})),
    recordAgent: assign(({ context, event }) => (event.type === 'agent.ended' ? afterAgent(context, event) : {})),
    recordVerdict: assign(({ context, event }) => (event.type === 'verdict.reached' ? afterVerdict(context, event.verdict) : {})),
    recordInfrastructure: assign(({ context, event }) => (event.type === 'infrastructure.failed' ? afterInfrastructure(context, event.reason) : {})),
    recordCapture: assign(({ event }) => (event.type === 'work.captured' ? { changed: event.changed } : {})),
    inJudge: assign({ phase: 'judge' as const }),
    inWork: assign({ phase: 'work' as const }),
    askPause: assign({ pause: true }),
    askAbort: assign(({ event }) => (event.type === 'person.aborted' ? { abort: event.reason } : {})),
    dropPause: assign({ pause: false }),
    startAfresh: assign(({ context }) => afresh(context)),
    recordBreach: assign(({ event }) => (event.type === 'budget.checked' ? { breach: event.breach } : {})),
    allowDependencies: assign(({ context }) => ({ allowDependencies: true, fact: 'work_done' as const, reason: null, retries: context.retries + 1 })),
    refuseDependencies: assign(({ context }) => ({ fact: 'reject' as const, reason: `a person refused: ${context.reason}` })),
    explainBreach: assign(({ context }) => ({ reason: context.breach, reasonBefore: context.reason })),
    explainPause: assign(({ context }) => ({ reason: 'paused by a person', reasonBefore: context.reason })),
    restoreReason: assign(({ context }) => ({ reason: context.reasonBefore, reasonBefore: null })),
    explainAbort: assign(({ context }) => ({ reason: context.abort })),
    explainNothing: assign(({ context }) => ({ reason: context.reason ?? 'no attempt is allowed (limits.attempts is 0)' })),
  },
});

const whileMoving = {
  'person.paused': { actions: 'askPause' },
  'person.resumed': { actions: 'dropPause' },
  'person.aborted': { actions: 'askAbort' },
  'budget.checked': { actions: 'recordBreach' },
} as const;
const whileWaiting = {
  'person.paused': { actions: 'askPause' },
  'person.aborted': { target: 'aborted', actions: ['askAbort', 'explainAbort'] },
  'budget.checked': { actions: 'recordBreach' },
} as const;
const goOn = { 'person.resumed': { target: 'deciding', actions: ['startAfresh', 'dropPause'] } } as const;
const agentRuns = machine.createStateConfig({
  entry: 'inWork',
  on: {
    ...whileMoving,
    'agent.ended': { target: 'deciding', actions: 'recordAgent' },
    'infrastructure.failed': { target: 'deciding', actions: 'recordInfrastructure' },
  },
});

/** The stage machine; step it only through `machines/step.ts`. */
export const stageMachine = machine.createMachine({
  id: 'stage',
  initial: 'preparing',
  context: ({ input }) => freshMemory(input),
  states: {
    preparing: {
      on: {
        ...whileMoving,
        'ground.proved': 'deciding',
        'ground.failed': { target: 'deciding', actions: 'recordGround' },
        'infrastructure.failed': { target: 'env_broken', actions: 'recordInfrastructure' },
      },
    },
    working: agentRuns,
    repairing: agentRuns,
    judging: {
      entry: 'inJudge',
      on: {
        ...whileMoving,
        'work.captured': { actions: 'recordCapture' },
        'verdict.reached': { target: 'deciding', actions: 'recordVerdict' },
        'infrastructure.failed': { target: 'deciding', actions: 'recordInfrastructure' },
      },
    },
    // The order of decisions after an effect; the first match wins.
    deciding: {
      always: [
        { guard: { type: 'is', params: 'ground_failed' }, target: 'env_broken' },
        { guard: 'infrastructureKeepsFailing', target: 'env_broken' },
        { guard: 'abortAsked', target: 'aborted', actions: 'explainAbort' },
        { guard: 'pauseAsked', target: 'paused', actions: 'explainPause' },
        { guard: { type: 'is', params: 'pass' }, target: 'passed' },
        { guard: { type: 'is', params: 'misconfigured' }, target: 'env_broken' },
        { guard: { type: 'is', params: 'limited' }, target: 'limited' },
        { guard: 'loginKeepsFailing', target: 'needs_login' },
        { guard: 'tamperingEndsStage', target: 'integrity' },
        { guard: { type: 'is', params: 'choice' }, target: 'awaiting_choice' },
        { guard: { type: 'is', params: 'unknown' }, target: 'blocked' },
        { guard: { type: 'is', params: 'already_green' }, target: 'blocked' },
        { guard: { type: 'is', params: 'work_done' }, target: 'judging' },
        { guard: 'infrastructureFailedWhileJudging', target: 'judging' },
        { guard: 'evaluatorOverBudget', target: 'paused', actions: 'explainBreach' },
        { guard: 'judgeFirst', target: 'judging' },
        { guard: 'budgetBreached', target: 'paused', actions: 'explainBreach' },
        { guard: 'firstAttempt', target: 'working' },
        { guard: 'attemptLeft', target: 'repairing' },
        { guard: 'nothingChanged', target: 'stuck', actions: 'explainNothing' },
        { target: 'blocked', actions: 'explainNothing' },
      ],
    },
    paused: {
      exit: 'restoreReason',
      on: {
        ...whileWaiting,
        'person.resumed': { target: 'deciding', actions: 'dropPause' },
        'budget.checked': { target: 'deciding', actions: 'recordBreach' },
      },
    },
    limited: { on: { ...whileWaiting, ...goOn, 'timer.fired': { target: 'deciding', actions: 'startAfresh' } } },
    needs_login: { on: { ...whileWaiting, ...goOn } },
    env_broken: { on: { ...whileWaiting, 'person.resumed': { target: 'preparing', actions: ['startAfresh', 'dropPause'] } } },
    awaiting_choice: {
      on: {
        ...whileWaiting,
        'person.chose': [
          { guard: ({ event }) => event.allow, target: 'judging', actions: 'allowDependencies' },
          { target: 'deciding', actions: 'refuseDependencies' },
        ],
      },
    },
    passed: { type: 'final' },
    blocked: { type: 'final' },
    stuck: { type: 'final' },
    integrity: { type: 'final' },
    aborted: { type: 'final' },
  },
});
