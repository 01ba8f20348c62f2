// The commands pause, abort, note, choose, extend and cancel: a person steers an open run. Each may be repeated, and works while no worker is up.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignalDefinition } from '@temporalio/client';
import { isFinal } from '../../machines/contract/run-state.js';
import { abortSignal, chooseSignal, type Extension, extendSignal, noteSignal, pauseSignal, type WithId } from '../../workflows/messages.js';
import { ask, openRun } from '../ask.js';
import { connect, type Server } from '../connect.js';
import type { Context } from '../context.js';
import { checkFeatureId, openHere } from '../feature.js';
import { findRun, readLiveReport, uiUrlOf } from '../run-handle.js';
import { runJson } from '../run-json.js';

/** How long cancel waits for the run to close, in ms; it closes all the same later. */
const closeMsMax = 15_000;

/** Options of every steering command. */
export type SteerOptions = { json: boolean };

/** Lets the attempt under way finish, then waits. */
export const pause = (context: Context, id: string, options: SteerOptions): Promise<number> =>
  steer(context, id, { ...options, name: 'pause', signal: pauseSignal, payload: {} });
/** Records a reason and ends the run at its next decision. */
export const abort = (context: Context, id: string, options: SteerOptions & { reason: string }): Promise<number> =>
  steer(context, id, { ...options, name: 'abort', signal: abortSignal, payload: { reason: options.reason } });
/** Adds words to the next prompt. */
export const note = (context: Context, id: string, options: SteerOptions & { text: string }): Promise<number> =>
  steer(context, id, { ...options, name: 'note', signal: noteSignal, payload: { text: options.text } });
/** Answers whether changed dependencies are allowed. */
export const choose = (context: Context, id: string, options: SteerOptions & { allow: boolean }): Promise<number> =>
  steer(context, id, { ...options, name: 'choose', signal: chooseSignal, payload: { allow: options.allow } });
/** Sets new limits. */
export const extend = (context: Context, id: string, options: SteerOptions & { extensions: Extension[] }): Promise<number> =>
  steer(context, id, { ...options, name: 'extend', signal: extendSignal, payload: { extensions: options.extensions } });

/** Stops agents at once and closes the run; a run that is over already is no error. */
export async function cancel(context: Context, id: string, { json }: SteerOptions): Promise<number> {
  return withServer(context, id, async (server, project) => {
    const run = await findRun(server, project, id);
    if (!run?.isOpen) {
      context.out(json ? JSON.stringify({ featureId: id, cancelled: false }) : `${id}: no open run, nothing to cancel`);
      return 0;
    }
    await run.handle.cancel();
    const deadline = performance.now() + closeMsMax;
    let closed = false;
    while (!closed && performance.now() < deadline) {
      closed = (await run.handle.describe()).status.name !== 'RUNNING';
      if (!closed) await sleep(100);
    }
    const report = closed ? await readLiveReport(server, run) : null;
    if (json)
      context.out(JSON.stringify(report ? runJson(report, { uiUrl: uiUrlOf(server, run.workflowId), inTheWay: null }) : { featureId: id, cancelled: true }));
    else context.out([`${id}: ${closed ? 'cancelled' : 'cancel is sent; it takes effect when a worker is back'}`, ...(report?.notices ?? [])].join('\n'));
    return 0;
  });
}

type Steering<Payload extends WithId> = SteerOptions & { name: string; signal: SignalDefinition<[Payload]>; payload: Omit<Payload, 'id'> };

async function steer<Payload extends WithId>(context: Context, id: string, { json, name, signal, payload }: Steering<Payload>): Promise<number> {
  return withServer(context, id, async (server, project) => {
    const run = await openRun(server, project, id);
    const answer = await ask(server, run, { signal, payload });
    if (answer.kind === 'sent') {
      context.out(
        json ? JSON.stringify({ featureId: id, command: name, accepted: null }) : `${name}: sent; no worker has answered yet, it takes effect when one is back`,
      );
      return 0;
    }
    const { command, report } = answer;
    if (json) context.out(JSON.stringify({ ...runJson(report, { uiUrl: uiUrlOf(server, run.workflowId), inTheWay: null }), command }));
    else context.out(`${name}: ${command.accepted ? '' : 'refused: '}${command.detail}`);
    if (command.accepted && !json && !isFinal(report.state)) context.err(`follow the run with: pdlc loop-run ${id}`);
    return command.accepted ? 0 : 2;
  });
}

async function withServer(context: Context, id: string, use: (server: Server, project: string) => Promise<number>): Promise<number> {
  checkFeatureId(id);
  const { project } = await openHere(context);
  const server = await connect(context);
  try {
    return await use(server, project);
  } finally {
    await server.close();
  }
}
