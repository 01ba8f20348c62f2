// Owns the runs that are recorded with a scripted host: what its activities answer, in order, and what a person does. Pure data and small helpers.
// A list that is used up is followed by good answers, so that a run without a script ends in review_done.
import { ApplicationFailure } from '@temporalio/common';

const facts = { usage: { usd: 0.01, tokens: { in: 10, out: 1, cacheRead: 0, cacheWrite: 0 } }, durationMs: 1, lastWords: 'done' };
const evidence = { gate: 'checks', checks: [], card: null, usage: [] };
const hourMs = 3_600_000;

/** An agent's end of a kind; its work is left to the act that captures. */
const ends = (kind, more = {}) => ({ outcome: { kind, ...facts, ...more }, swept: 0 });
const limitedFor = (ms) => () => ends('limited', { until: Date.now() + ms });
const verdict = (kind, more = {}) => ({ kind, reason: kind, ...evidence, ...more });
const reject = verdict('reject', { feedback: 'no' });
const tampered = verdict('tampered', { gate: 'integrity', paths: [{ path: 'test/a.js', expected: null, found: null }] });
const choice = verdict('choice', { gate: 'integrity', paths: ['package.json'] });
const unfit = (fault) => ({ tree: '/tree', ground: { kind: 'failed', fault, reason: fault, checks: [] }, notices: [] });
const fails = (input) => {
  throw ApplicationFailure.nonRetryable(`scripted failure in ${input.at?.stage ?? 'the ledger'}`, 'git_failed');
};
/** Waits until the person lets it go, then answers as usual. */
const waits = async (input, run) => {
  await run.gate();
  return run.usual(input);
};

const tree = { tree: 'e'.repeat(40), changed: true, files: ['src/a.js'], filesTotal: 1, omitted: [], agentCommits: 0, stateTamper: false };
const captured = ({ at }) => ({ ...tree, commit: `${at.step}`.repeat(40) });

/** What an activity answers when no script says otherwise. */
export const usual = {
  prepare: () => ({ tree: '/tree', ground: { kind: 'proved', checks: [] }, notices: [] }),
  agent: ({ at }) => ({ ...ends('finished'), capture: captured({ at }) }),
  capture: captured,
  judge: () => ({ kind: 'pass', ...evidence }),
  publish: ({ settle }) => (settle ? settled(settle) : { head: null, moved: false, nextStep: null, treeAtHead: false }),
  release: () => ({ savedRef: null, leftOut: null }),
  clock: () => ({}),
};
const next = { tdd: 'pdlc-implement', implement: 'pdlc-review', review: 'pdlc-ship' };
const settled = ({ record, tip }) => ({
  head: tip,
  moved: record.ok,
  nextStep: record.ok ? next[record.stage] : `pdlc-${record.stage}`,
  treeAtHead: record.ok,
});
const unmoved = ({ settle }) => ({ ...settled(settle), moved: false });

/** Events that make a run go on in a fresh history, with some to spare. */
const manyEvents = 1_000;

/** Each run: `answers` per activity, changes of the `input` and its `limits`, the steps of a `person`, and the state that it is left in (`ends`). */
export const scriptedRuns = {
  'preparing-open': { answers: { prepare: [waits] }, ends: 'preparing' },
  'working-open': { answers: { agent: [waits] }, ends: 'working' },
  'repairing-open': { answers: { agent: [usual.agent, waits], judge: [reject] }, ends: 'repairing' },
  'judging-open': { answers: { judge: [waits] }, ends: 'judging' },
  'publishing-open': { answers: { publish: [waits] }, ends: 'deciding' },
  'limited-open': { answers: { agent: [limitedFor(hourMs)] }, ends: 'limited' },
  'limited-timer': { answers: { agent: [limitedFor(3_000)] }, person: [reaches('limited'), tells('note', { text: 'still there?' })], ends: 'review_done' },
  'limited-resumed': { answers: { agent: [limitedFor(hourMs)] }, person: [reaches('limited'), tells('resume', { reseal: false })], ends: 'review_done' },
  'limited-aborted': { answers: { agent: [limitedFor(hourMs)] }, person: [reaches('limited'), tells('abort', { reason: 'no' })], ends: 'aborted' },
  'login-open': { answers: { agent: [ends('needs_login'), ends('needs_login')] }, ends: 'needs_login' },
  'login-resumed': {
    answers: { agent: [ends('needs_login'), ends('needs_login')] },
    person: [reaches('needs_login'), tells('resume', { reseal: false })],
    ends: 'review_done',
  },
  'choice-open': { answers: { judge: [choice] }, ends: 'awaiting_choice' },
  'choice-allowed': { answers: { judge: [choice] }, person: [reaches('awaiting_choice'), tells('choose', { allow: true })], ends: 'review_done' },
  'choice-refused': { answers: { judge: [choice] }, person: [reaches('awaiting_choice'), tells('choose', { allow: false })], ends: 'review_done' },
  'paused-open': { answers: { agent: [waits] }, person: [reaches('working'), tells('pause'), opens], ends: 'paused' },
  'paused-resumed': {
    answers: { agent: [waits] },
    person: [reaches('working'), tells('pause'), opens, reaches('paused'), tells('resume', { reseal: false })],
    ends: 'review_done',
  },
  'paused-cancelled': { answers: { agent: [waits] }, person: [reaches('working'), tells('pause'), opens, reaches('paused'), cancels], ends: 'cancelled' },
  'paused-between-stages': {
    answers: { publish: [waits] },
    person: [publishes, tells('pause'), opens, reaches('paused'), tells('resume', { reseal: false })],
    ends: 'review_done',
  },
  'pause-over-pass': {
    answers: { judge: [waits] },
    person: [reaches('judging'), tells('pause'), opens, reaches('paused'), tells('resume', { reseal: false })],
    ends: 'review_done',
  },
  'pause-taken-back': {
    answers: { prepare: [waits] },
    person: [reaches('preparing'), tells('pause'), tells('resume', { reseal: false }), opens],
    ends: 'review_done',
  },
  'budget-open': { limits: { usd: 0 }, ends: 'paused' },
  'budget-in-stage': {
    answers: { agent: [ends('finished', { usage: { usd: 4, tokens: null } })], judge: [reject] },
    limits: { usd: 3 },
    person: [reaches('paused'), tells('extend', { extensions: [{ key: 'usd', value: 20, relative: true }] })],
    ends: 'review_done',
  },
  'cancelled-working': { answers: { agent: [waits] }, person: [reaches('working'), cancels], ends: 'cancelled' },
  'cancelled-judging': { answers: { judge: [waits] }, person: [reaches('judging'), cancels], ends: 'cancelled' },
  'aborted-working': { answers: { agent: [waits] }, person: [reaches('working'), tells('abort', { reason: 'enough' }), opens], ends: 'aborted' },
  'aborted-between-stages': { answers: { publish: [waits] }, person: [publishes, tells('abort', { reason: 'enough' }), opens], ends: 'aborted' },
  'deadline-extended': {
    answers: { agent: [waits] },
    limits: { deadline: 8_000 },
    person: [reaches('working'), tells('extend', { extensions: [{ key: 'deadline', value: hourMs, relative: false }] }), ringsOnce, opens],
    ends: 'review_done',
  },
  'expired-judging': { answers: { judge: [waits] }, limits: { deadline: 8_000 }, ends: 'expired' },
  'ground-resumed': {
    answers: { prepare: [unfit('setup_failed')] },
    person: [reaches('env_broken'), tells('resume', { reseal: false })],
    ends: 'review_done',
  },
  'already-green': { answers: { prepare: [unfit('already_green')] }, input: { startStage: 'implement' }, ends: 'blocked' },
  'prepare-failed': { answers: { prepare: [fails] }, ends: 'env_broken' },
  'agent-failed-for-good': { answers: { agent: [fails, fails, fails] }, ends: 'env_broken' },
  'agent-lost': { answers: { agent: [ends('lost')] }, ends: 'review_done' },
  'capture-failed': { answers: { agent: [ends('finished')], capture: [fails] }, ends: 'review_done' },
  'judge-failed': { answers: { judge: [fails] }, ends: 'review_done' },
  'publish-failed': { answers: { publish: [fails] }, ends: 'blocked' },
  'ledger-failed': {
    answers: { agent: [limitedFor(hourMs)], publish: [fails] },
    person: [reaches('limited'), tells('note', { text: 'again' })],
    ends: 'limited',
  },
  'release-failed': { answers: { release: [fails] }, ends: 'review_done' },
  'not-moved': { answers: { publish: [unmoved] }, person: [reaches('stuck'), tells('resume', { reseal: false })], ends: 'review_done' },
  'capped-open': { limits: { steps: 1 }, ends: 'capped' },
  resealed: { answers: { judge: [tampered, tampered] }, person: [reaches('integrity'), tells('resume', { reseal: true })], ends: 'review_done' },
  'from-implement': { input: { startStage: 'implement' }, ends: 'review_done' },
  'from-review': { input: { startStage: 'review' }, ends: 'review_done' },
  'review-blocked': { answers: { judge: [reject, reject] }, input: { startStage: 'review' }, ends: 'blocked' },
  'from-review-judged': { input: { startStage: 'review', entry: 'judge' }, ends: 'review_done' },
  'commands-refused': {
    answers: { agent: [waits] },
    person: [
      reaches('working'),
      tells('choose', { allow: true }),
      tells('extend', { extensions: [{ key: 'steps', value: 0, relative: false }] }),
      tells('resume', { reseal: true }),
      opens,
    ],
    ends: 'review_done',
  },
  'rolled-over': { answers: { agent: [waits] }, person: [reaches('working'), tellsOften('note', { text: 'hurry' }), opens], ends: 'review_done' },
};

function reaches(state) {
  return (run) => run.reaches(state);
}

function tells(signal, payload = {}) {
  return (run) => run.tell(signal, { ...payload, id: `${signal}-${run.count()}` });
}

/** The same word under one id again and again: all but the first change nothing, and each is an event. */
function tellsOften(signal, payload) {
  return async (run) => {
    const send = () => run.handle.signal(signal, { ...payload, id: 'often' });
    for (let sent = 0; sent < manyEvents; sent += 50) await Promise.all(Array.from({ length: 50 }, send));
  };
}

function opens(run) {
  run.open();
}

function cancels(run) {
  return run.handle.cancel();
}

function publishes(run) {
  return run.hasEvent(({ activityTaskScheduledEventAttributes: event }) => event?.activityType?.name === 'publish');
}

function ringsOnce(run) {
  return run.hasEvent(({ timerFiredEventAttributes: event }) => Boolean(event));
}
