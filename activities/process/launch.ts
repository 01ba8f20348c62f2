// Attach-or-start: finds the process of a control directory, or starts it if nobody has.
// Must never start a second command; the exclusive creation of the start record in supervisor.sh decides that, not this file.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PdlcError } from '../../machines/contract/failure.js';
import { readResult, readStartRecord, type Spec, type StartRecord, writeIntent } from './control-dir.js';
import { type Detach, type DetachRequest, detach } from './detach.js';
import { groupOf, makeGroup } from './group.js';
import { look, type State } from './look.js';
import { isMarked, lockLimitOf, marker } from './mark.js';
import { hasProc } from './proc.js';

/** One command to run once. env is the whole environment of the command (only PDLC_MARK is added); prompt is its stdin. */
export interface StartRequest extends Omit<Spec, 'group'> {
  dir: string;
  env: Readonly<Record<string, string>>;
  prompt: string | Uint8Array;
}

/** A process that was found or started. `lost` with a null record: its start record was cut off while it was written. */
export type Handle = { dir: string; token: string; group: string | null } & (
  | { state: 'running'; started: StartRecord }
  | { state: 'finished'; started: StartRecord; status: number }
  | { state: 'lost'; started: StartRecord | null }
);

const startWaitMs = 15_000;
const startPollMs = 2;
/** After this long without a record the start is asked for again, in ms: whoever was to start it may have died. A second supervisor starts nothing. */
const startAgainMs = 1_000;
/** A process that is just replacing itself shows no environment, so a missing mark is looked for again, in ms. */
const marksLooksMax = 3;
const markPollMs = 20;
// Read at import: an upgrade of the package cannot change a script that is already running.
const supervisorText = readFileSync(new URL('./supervisor.sh', import.meta.url), 'utf8');

/** Finished: takes the result. Alive: attaches. Intended but not started: starts, by `start`. Dead without a result: lost.
 *  Throws PdlcError: `control_conflict` when the directory belongs to another token or is damaged, `process_failed` when no start record comes. */
export async function attachOrStart(request: StartRequest, start: Detach = detach): Promise<Handle> {
  const { dir, token, argv, cwd, env, prompt } = request;
  // What was recorded runs, even if a newer release would have asked for other arguments.
  const wanted = groupOf(token);
  const spec = await writeIntent(dir, { token, argv, cwd, ...(wanted && { group: wanted }) }, prompt);
  refuseStranger(dir, token, spec.token);
  const group = spec.group ?? null;
  const record = await readStartRecord(dir);
  if (record === null) await refuseResultOfNobody(dir);
  const started = record === null || record === 'torn' ? await awaitStartRecord(dir, () => start(supervisorOf(dir, spec, env))) : record;
  if (started === 'torn') return { dir, token, group, state: 'lost', started: null };
  refuseStranger(dir, token, started.token);
  return { dir, token, group, started, ...(await lookAtOurs(dir, started)) };
}

function refuseStranger(dir: string, token: string, found: string): void {
  if (found === token) return;
  throw new PdlcError('control_conflict', `${dir}: expected the attempt ${token}, found ${found}. Give each attempt a directory of its own.`);
}

/** Asked after the start record was not there; a supervisor that started and ended in between has left that too. */
async function refuseResultOfNobody(dir: string): Promise<void> {
  if ((await readResult(dir)) === null || (await readStartRecord(dir)) !== null) return;
  throw new PdlcError('control_conflict', `${dir}: expected a start record beside the result, found none. Start a new attempt.`);
}

/** A living process that the record names rightly but that does not carry the attempt's mark is a stranger in a forged record. */
async function lookAtOurs(dir: string, started: StartRecord): Promise<State> {
  for (let looks = 0; looks < marksLooksMax; looks += 1) {
    const state = await look(dir, started);
    if (state.state !== 'running' || !hasProc || (await isMarked(started.supervisor.pid, started.token))) return state;
    await sleep(markPollMs);
  }
  throw new PdlcError(
    'control_conflict',
    `${dir}: expected a supervisor of this attempt, found process ${started.supervisor.pid}, which is not. Start a new attempt.`,
  );
}

function supervisorOf(dir: string, { token, argv, cwd, group }: Spec, env: StartRequest['env']): DetachRequest {
  const joined = group && makeGroup(group) ? group : '';
  return {
    file: '/bin/sh',
    args: ['-c', supervisorText, 'pdlc-supervisor', dir, cwd, lockLimitOf(token), joined, ...argv],
    cwd: dir,
    env: { ...env, [marker]: token },
  };
}

async function awaitStartRecord(dir: string, ask: () => void): Promise<StartRecord | 'torn'> {
  const deadline = performance.now() + startWaitMs;
  let askAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const record = await readStartRecord(dir);
    if (record !== null && record !== 'torn') return record;
    const now = performance.now();
    if (now > deadline) {
      if (record === 'torn') return record;
      throw new PdlcError('process_failed', `${dir}: expected a start record within ${startWaitMs} ms, found none. Trying again is safe.`);
    }
    if (record === null && now >= askAt + startAgainMs) {
      ask();
      askAt = now;
    }
    await sleep(startPollMs);
  }
}
