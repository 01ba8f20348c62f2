// One short-lived engine of the process chaos: asks for an attempt as an activity does, tells how it ended, and kills at the very moment it was told to: itself, its nursery, or a supervisor that it just started.
// Called as: node engine.mjs '{"request", "limits", "strike": {"victim", "moment", "delay"} or null}', with an IPC channel.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { detach } from '../../dist/activities/process/detach.js';
import { attachOrStart } from '../../dist/activities/process/launch.js';
import { openNursery } from '../../dist/activities/process/nursery.js';
import { sweep } from '../../dist/activities/process/sweep.js';
import { watch } from '../../dist/activities/process/watch.js';
import { childrenOf, killExactly } from '../helpers/processes.mjs';

const { request, limits, strike } = JSON.parse(process.argv[2]);
const graceMs = 40;

// Half of the time of an engine goes into its nursery, so only those have one that may lose it.
const nursery = /nursery|all/.test(strike?.victim) ? openNursery() : { detach };
process.send({ at: 'ready' });
reach('begin');
const handle = await attachOrStart(request, begin);
reach('attached');
if (strike?.moment === 'stop') setInterval(() => existsSync(join(request.dir, 'breach')) && countDown('stop'), 1);
const exit = await watch(handle, { signal: new AbortController().signal, onBeat: () => reach('beat'), limits, graceMs });
reach('ended');
if (strike?.moment === 'sweep') countDown('sweep');
const { killed, clean } = await sweep(request.token, handle);
reach('swept');
if (strike?.moment === 'sweep') reach('sweep');
process.send({ exit, killed, clean }, () => process.exit());

function begin(start) {
  reach('intended');
  if (strike?.victim !== 'supervisor' || strike.moment !== 'start') {
    nursery.detach(start);
    return reach('asked');
  }
  const { file, args, cwd, env } = start;
  const { pid } = spawn(file, args, { cwd, env, detached: true, stdio: 'ignore' });
  const until = performance.now() + strike.delay / 10;
  while (performance.now() < until);
  kill('supervisor', pid);
  strike.moment = 'done';
}

function reach(moment) {
  if (strike?.moment !== moment || strike.victim === 'supervisor') return;
  strike.moment = 'done';
  if (strike.victim === 'nursery') for (const pid of childrenOf(process.pid)) kill('nursery', pid);
  else killExactly(process.pid);
}

/** Strikes after so many turns of the event loop, that is somewhere within what is going on. */
function countDown(moment) {
  let turns = strike.delay;
  const turn = () => (turns-- > 0 ? setImmediate(turn) : reach(moment));
  turn();
}

function kill(victim, pid) {
  if (killExactly(pid)) process.send({ struck: victim, pid });
}
