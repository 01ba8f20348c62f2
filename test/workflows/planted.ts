// Owns changes of workflow code that would break open runs, each with the recorded history that shows it. Whoever adds an order, an act or a wait to a run adds a change here.
import type { Change } from './changed-bundle.js';

/** A change, and the history (without version) whose replay must notice it. */
export type Planted = Change & { shownBy: string };

const run = 'machines/run.ts';
const stage = 'machines/stage.ts';
const memory = 'machines/stage-memory.ts';
const ids = 'machines/contract/activities.ts';
const loop = 'workflows/feature-run.ts';
const settle = 'workflows/settle.ts';
const perform = 'workflows/perform.ts';

const plant = (...[file, from, to, shownBy]: [file: string, from: string, to: string, shownBy: string]): Planted => ({ file, from, to, shownBy });

const ending = 'await CancellationScope.nonCancellable(() => release(live));';

/** The order in which a run ends its acts: the one change that is also tried behind `patched()`. */
export const swappedEnd = plant(loop, `  ${ending}\n  showState(live);`, `  showState(live);\n  ${ending}`, 'done');

/** What no build may do to open runs without a patch, by name. */
export const planted: Record<string, Planted> = {
  'the stages come in another order': plant('machines/contract/stage.ts', "['tdd', 'implement', 'review']", "['review', 'implement', 'tdd']", 'done'),
  'a stage is dispatched as another': plant(run, "params: 'tdd' }, target: 'tdd'", "params: 'tdd' }, target: 'implement'", 'done'),
  'an activity has another id': plant(ids, `\${at.stage}-\${at.step}-`, `\${at.step}-\${at.stage}-`, 'done'),
  'what is tried again has the id of the first try': plant(ids, `\${at.tries > 0 ?`, `\${at.tries > 99 ?`, 'agent-lost'),
  'the last act comes after the last mark': swappedEnd,
  'the ledger is written while the run is released': plant(
    loop,
    ending,
    'await CancellationScope.nonCancellable(() => Promise.all([flush(live), release(live)]));',
    'done',
  ),
  'an act is added between stages': plant(loop, 'else dispatch(live);', 'else await flush(live).then(() => dispatch(live));', 'done'),
  'an act is left out before a wait': plant(loop, 'let { commands } = live;\n  await flush(live);', 'let { commands } = live;', 'capped-open'),
  'an act has another name': plant(
    settle,
    "const { publish } = act('publish', live, { id: attemptId",
    "const { release: publish } = act('release', live, { id: attemptId",
    'done',
  ),
  'a timer is added': plant(
    loop,
    '      await moveWithinDeadline(live);',
    '      await condition(() => false, 1);\n      await moveWithinDeadline(live);',
    'done',
  ),
  'the deadline has no timer': plant(
    loop,
    "live.clock.jumps !== jumps, Math.max(1, leftMs()), { summary: 'deadline' });",
    'live.clock.jumps !== jumps);',
    'done',
  ),
  'the deadline is not looked at again': plant(loop, 'while (leftMs() > 0);', 'while (leftMs() > 1e12);', 'deadline-extended'),
  'the deadline stops nobody': plant(loop, '    moving.cancel();\n', '', 'expired'),
  'the clock runs on while a run waits': plant(loop, '    clock.cancel();\n', '', 'blocked-tdd'),
  'a usage limit is waited for without a timer': plant(loop, 'if (until === null) await condition(told);', 'if (live) await condition(told);', 'limited-open'),
  'a usage limit that ends leads elsewhere': plant(stage, "'timer.fired': { target: 'deciding'", "'timer.fired': { target: 'blocked'", 'limited-timer'),
  'a cancelled run is not released in peace': plant(loop, ending, 'await release(live);', 'cancelled-working'),
  'the state is no longer searchable': plant('workflows/presence.ts', '  upsertSearchAttributes([', '  void ([', 'done'),
  'a run goes on in a fresh history early': plant(loop, 'const historyEventsMax = 1_000;', 'const historyEventsMax = 50;', 'done'),
  'a run never goes on in a fresh history': plant(loop, 'const historyEventsMax = 1_000;', 'const historyEventsMax = 1e9;', 'rolled-over-1'),
  'resume is not heard': plant(loop, '  setHandler(resumeSignal,', '  void ((_: unknown, heard: unknown) => heard)(resumeSignal,', 'paused-resumed'),
  'choose is not heard': plant(loop, '  setHandler(chooseSignal,', '  void ((_: unknown, heard: unknown) => heard)(chooseSignal,', 'choice-allowed'),
  'a note leaves no trace': plant(loop, '  setHandler(noteSignal,', '  void ((_: unknown, heard: unknown) => heard)(noteSignal,', 'noted-paused'),
  'a pause is decided after a pass': plant(
    stage,
    `        { guard: 'pauseAsked', target: 'paused', actions: 'explainPause' },
        { guard: { type: 'is', params: 'pass' }, target: 'passed' },`,
    `        { guard: { type: 'is', params: 'pass' }, target: 'passed' },
        { guard: 'pauseAsked', target: 'paused', actions: 'explainPause' },`,
    'pause-over-pass',
  ),
  'the budget is decided after the next attempt': plant(
    stage,
    'context.breach !== null && attemptLeft(context)',
    'context.breach !== null && context.attempts > 9',
    'budget-in-stage',
  ),
  'the step cap is one higher': plant(run, 'context.steps >= context.stepsMax,', 'context.steps > context.stepsMax,', 'capped-open'),
  'a stage has one attempt less': plant(memory, 'return used < context.attemptsMax;', 'return used + 1 < context.attemptsMax;', 'blocked-resumed'),
  'a review has one fixer more': plant(memory, "(context.stage === 'review' ? 1 : 0)", '0', 'review-blocked'),
  'a person is asked at the first missing login': plant(stage, 'const loginsMax = 2;', 'const loginsMax = 1;', 'login-open'),
  'a person is asked at the first tampering': plant(stage, 'const tamperingsMax = 2;', 'const tamperingsMax = 1;', 'tampered'),
  'a person is asked one failure sooner': plant(stage, 'export const infrastructureMax = 3;', 'export const infrastructureMax = 2;', 'agent-failed-for-good'),
  'a resumed stage works before it is judged': plant(run, "entry: 'judge' as const, retries", "entry: 'work' as const, retries", 'blocked-resumed'),
  'allowed dependencies start an agent': plant(stage, "event.allow, target: 'judging'", "event.allow, target: 'repairing'", 'choice-allowed'),
  'a setup is not run again for the next stage': plant(perform, ' && live.input.config.setup === null', '', 'with-setup'),
  'the tree is taken as it was before a person had it': plant(loop, '  live.readyAt = null;\n', '', 'paused-between-stages'),
};
