// Owns a host whose activities answer from a script, for runs that no real agent can bring about at will: real server, real workflow worker, no process and no git.
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { scriptedRuns, usual } from './scripted-runs.mjs';

const hostId = 'scripted';
const pollMs = 300;
/** Beats are told at once, since a cancellation is heard with their answer; no activity waits for long at the end. */
const quick = { maxHeartbeatThrottleInterval: 200, defaultHeartbeatThrottleInterval: 200, shutdownForceTime: 5_000 };
/** Longest wait for a state of a run, in ms. */
const stateMsMax = 120_000;
/** Most runs that are played at once: more only make the one workflow worker slow. */
const playersMax = 6;
/** No activity here beats as a real one does, so that this must outlast the whole recording, in ms. */
const heartbeatMs = 600_000;

/** Plays every scripted run, to the state in which each is left; `input` is that of a real run. `use` is called while all are there. */
export async function runScripts({ address, client, input }, use) {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  const runs = new Map(Object.entries(scriptedRuns).map(([id, script]) => [id, openRun(client, { id, script, input })]));
  const answer = (act) => (given) => runs.get(given.run.featureId).answer(act, given);
  const activities = Object.fromEntries(Object.keys(usual).map((act) => [act, answer(act)]));
  const taskQueue = `pdlc-host-${hostId}`;
  const worker = await Worker.create({ connection, namespace: 'pdlc', taskQueue, activities, ...quick });
  await worker.runUntil(async () => {
    const waiting = [...runs.values()];
    const playOn = async () => {
      for (let run = waiting.shift(); run; run = waiting.shift()) await run.play();
    };
    await Promise.all(Array.from({ length: playersMax }, playOn));
    await use();
    for (const run of runs.values()) run.open();
  });
  await connection.close();
}

function openRun(client, { id, script, input }) {
  const { person = [], ends, limits = {} } = script;
  const left = Object.fromEntries(Object.entries(script.answers ?? {}).map(([act, answers]) => [act, [...answers]]));
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  let told = 0;
  const run = {
    open: () => open(),
    count: () => (told += 1),
    gate: () => orCancelled(opened),
    answer: async (act, given) => {
      const [scripted = usual[act]] = left[act]?.splice(0, 1) ?? [];
      return typeof scripted === 'function' ? scripted(given, { ...run, usual: usual[act] }) : scripted;
    },
    tell: async (signal, payload) => {
      await run.handle.signal(signal, payload);
      await run.until(`an answer to ${signal}`, async () => (await run.handle.query('report')).commands.some((command) => command.id === payload.id));
    },
    reaches: (state) => run.until(state, async () => (await run.handle.query('report')).state === state),
    hasEvent: (is) => run.until('an event', async () => (await run.handle.fetchHistory()).events.some(is)),
    until: async (what, holds) => {
      const deadline = Date.now() + stateMsMax;
      while (!(await holds())) {
        if (Date.now() > deadline) throw new Error(`${id}: expected ${what}, found ${(await run.handle.query('report')).state}`);
        await sleep(pollMs);
      }
    },
    play: async () => {
      const config = { ...input.config, limits: { ...input.config.limits, ...limits } };
      const args = [{ ...input, hostId, heartbeatMs, config, featureId: id, ...script.input }];
      run.handle = await client.workflow.start('featureRun', { args, workflowId: `pdlc/scripted/${id}`, taskQueue: 'pdlc' });
      for (const step of person) await step(run);
      await run.reaches(ends);
      if (['review_done', 'aborted', 'cancelled', 'expired'].includes(ends)) await run.handle.result().catch(() => undefined);
      await run.until('all scripted answers to be asked for', () => Object.values(left).every((answers) => answers.length === 0));
    },
  };
  return run;
}

/** What a promise gives; rejects when the activity is cancelled before, which it hears with its beats. */
function orCancelled(promise) {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), pollMs);
  return Promise.race([promise, context.cancelled]).finally(() => clearInterval(timer));
}
