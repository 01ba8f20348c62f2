// Owns one attempt of the process chaos: its agent with orphans, the engines that ask for it one after another, the kills, and what must hold in the end.
// Must never kill a process that it did not start or find by the attempt's own record.
import { execFileSync, fork } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, killExactly, processes } from '../helpers/processes.mjs';

/** Longest life of one engine, in ms. */
const engineMsMax = 30_000;
/** Most engines that ask for one attempt; only the first ones are killed. */
const enginesMax = 8;
/** How long a second supervisor that starts nothing may take to be gone, in ms. */
const goneMsMax = 2_000;

const agent = `echo "start $$" >>log
trap '' TERM
setsid sleep 600 &
(trap '' TERM; sleep 600 &)
(env -i /usr/bin/setsid /bin/sleep 600 &)
read -r code <gate
echo "end $code" >>log
exit "$code"`;

/** Opens an attempt in a folder of its own: `strikes` are the kills, one for each engine that asks, as { victim, moment, delay }. */
export function openAttempt({ folder, token, code, strikes, count }) {
  mkdirSync(folder, { recursive: true });
  execFileSync('mkfifo', [join(folder, 'gate')]);
  const gate = openSync(join(folder, 'gate'), constants.O_RDWR | constants.O_NONBLOCK);
  const request = { dir: join(folder, 'control'), token, cwd: folder, argv: ['/bin/sh', '-c', agent], env: { PATH: '/usr/bin:/bin' }, prompt: '' };
  const attempt = { folder, request, code, strikes, gate, count, isReleased: false, struck: [], lostFor: [] };
  return {
    /** Asks until an engine tells the outcome; resolves with it and the problems found. */
    settle: async () => {
      const outcome = await settle(attempt);
      const problems = [...judge(attempt, outcome), ...(await survivors(attempt))];
      closeSync(gate);
      if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
      return { exit: outcome.exit, problems };
    },
  };
}

async function settle(attempt) {
  const stopped = attempt.strikes.some(({ moment }) => moment === 'stop');
  for (let asked = 0; asked < enginesMax; asked += 1) {
    const strike = attempt.strikes[asked] ?? null;
    const engine = startEngine(attempt, strike, stopped);
    await Promise.race([strikeFromOutside(attempt, engine, strike), engine.over]);
    if (!stopped && asked + 1 >= attempt.strikes.length) release(attempt);
    const told = await engine.over;
    if (told.exit) return told;
    if (!told.isKilled) return { exit: { kind: 'an engine that failed' } };
  }
  return { exit: { kind: `no outcome from ${enginesMax} engines` } };
}

function startEngine(attempt, strike, stopped) {
  const limits = { wallMs: stopped ? 100 : engineMsMax, outputBytesMax: 1_000_000 };
  const options = { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] };
  const child = fork(join(import.meta.dirname, 'engine.mjs'), [JSON.stringify({ request: attempt.request, limits, strike })], options);
  const engine = { pid: child.pid, at: null, told: null };
  const timer = setTimeout(() => killExactly(child.pid), engineMsMax);
  child.on('message', (message) => {
    if (message.struck) noteStrike(attempt, message.struck, message.pid, strike.moment);
    else if (message.exit) engine.told = message;
    else engine.at = message.at;
  });
  engine.over = new Promise((resolve) => {
    child.once('close', (_code, signal) => {
      clearTimeout(timer);
      // What an engine could still say counts, even if it was killed in the same instant.
      if (signal && strike?.victim === 'engine' && !attempt.struck.some(({ pid }) => pid === child.pid))
        noteStrike(attempt, 'engine', child.pid, strike.moment);
      resolve(engine.told ?? { exit: null, isKilled: signal === 'SIGKILL' });
    });
  });
  return engine;
}

/** The kills that need a look at the agent or the records from outside; the others happen inside the engine. */
async function strikeFromOutside(attempt, engine, strike) {
  const { folder } = attempt;
  if (strike === null || ['ended', 'sweep', 'swept', 'stop'].includes(strike.moment)) return;
  if (['begin', 'intended', 'asked', 'attached', 'beat', 'start'].includes(strike.moment)) {
    await until(() => attempt.struck.length > 0 || isRunning(folder), engine);
    return;
  }
  if (strike.moment === 'random') await until(() => engine.at === 'ready', engine);
  else await until(() => isRunning(folder), engine);
  if (strike.moment === 'halted') await haltUntilEnd(attempt, engine);
  if (strike.moment === 'ending') {
    release(attempt);
    await until(() => /^end/m.test(logOf(folder)), engine);
  }
  if (strike.moment === 'random' && strike.delay % 4 === 0) release(attempt);
  await pause(strike.moment === 'random' ? strike.delay : strike.moment === 'ending' ? strike.delay / 20 : 0);
  for (const [victim, pid] of victimsOf(attempt, engine, strike.victim)) {
    const moment = momentOf(attempt);
    if (killExactly(pid)) noteStrike(attempt, victim, pid, moment);
  }
  await until(() => attempt.struck.every(({ pid }) => isGone(pid)), { isOver: false });
  noteLosses(attempt);
}

/** A supervisor that stands still while its agent ends, so that it surely dies before the result. */
async function haltUntilEnd(attempt, engine) {
  const pid = readRecord(attempt)?.supervisor.pid;
  if (!pid) return;
  process.kill(pid, 'SIGSTOP');
  release(attempt);
  await until(() => /^end/m.test(logOf(attempt.folder)), engine);
}

function victimsOf(attempt, engine, victim) {
  const record = readRecord(attempt);
  const supervisor = record?.supervisor.pid ?? processes().find(({ environ, cmdline }) => isOwn(attempt, environ) && cmdline.includes('pdlc-supervisor'))?.pid;
  const all = { engine: engine.pid, nursery: childrenOf(engine.pid)[0], supervisor, agent: record?.pid };
  return Object.entries(all).filter(([name, pid]) => pid && !isGone(pid) && (victim === 'all' || victim.includes(name)));
}

function noteStrike(attempt, victim, pid, moment) {
  attempt.struck.push({ victim, pid });
  attempt.count(victim, names[moment] ?? moment);
  if (victim === 'supervisor') noteLosses(attempt);
}

const names = {
  ...{ begin: 'before the intent', intended: 'after the intent', asked: 'before the start record', start: 'before the start record' },
  ...{
    attached: 'after the start record',
    beat: 'while it runs',
    ended: 'after the result',
    sweep: 'in the sweep',
    swept: 'after the sweep',
    stop: 'in the stop',
  },
};

function momentOf({ request: { dir }, folder }) {
  if (!existsSync(join(dir, 'spec.json'))) return 'before the intent';
  if (!existsSync(join(dir, 'started'))) return 'before the start record';
  if (!/^end/m.test(logOf(folder))) return 'while it runs';
  return existsSync(join(dir, 'result')) ? 'after the result' : 'before the result';
}

/** A supervisor that is gone and has left its record but no result can only be lost. */
function noteLosses(attempt) {
  for (const { victim, pid } of attempt.struck) {
    if (victim === 'supervisor' && isGone(pid) && !existsSync(join(attempt.request.dir, 'result'))) attempt.lostFor.push(pid);
  }
}

function judge(attempt, { exit, clean }) {
  const lines = logOf(attempt.folder).split('\n');
  const starts = lines.filter((line) => line.startsWith('start'));
  const ended = lines.find((line) => line.startsWith('end'))?.slice('end '.length);
  const was = (victim) => attempt.struck.some((one) => one.victim === victim);
  const mustBeLost = attempt.lostFor.includes(readRecord(attempt)?.supervisor.pid);
  const isRight = {
    exited: Number(ended) === exit.exitCode && exit.exitCode === attempt.code && !mustBeLost,
    signalled: exit.signal === 9 && was('agent') && !mustBeLost,
    lost: was('supervisor'),
    timed_out: attempt.strikes.some(({ moment }) => moment === 'stop'),
  };
  return [
    ...(isRight[exit.kind] ? [] : [`ended as ${JSON.stringify(exit)}, the agent says ${JSON.stringify(lines)}`]),
    ...(starts.length > 1 ? [`the agent was started ${starts.length} times`] : []),
    ...(clean ? [] : ['the sweep did not end clean']),
  ];
}

async function survivors(attempt) {
  const left = () => processes().filter(({ environ, cwd }) => isOwn(attempt, environ) || cwd === attempt.folder);
  for (let waited = 0; waited < goneMsMax && left().length > 0; waited += 20) await sleep(20);
  const escaped = left();
  for (const { pid } of escaped) killExactly(pid);
  return escaped.map(({ pid, cmdline }) => `process ${pid} was left: ${cmdline.slice(0, 80)}`);
}

function release(attempt) {
  if (!attempt.isReleased) writeSync(attempt.gate, `${attempt.code}\n`);
  attempt.isReleased = true;
}

async function until(condition, engine) {
  while (!condition() && !engine.told && !isGone(engine.pid ?? process.pid)) await sleep(3);
}

/** Waits exactly: timers are too coarse for what happens within a millisecond. */
async function pause(ms) {
  const end = performance.now() + ms;
  if (ms > 3) await sleep(ms - 2);
  while (performance.now() < end);
}

const isOwn = ({ request }, environ) => environ.includes(`PDLC_MARK=${request.token} `);
const isRunning = (folder) => logOf(folder).includes('start');
const logOf = (folder) => read(join(folder, 'log'));

function readRecord({ request }) {
  try {
    return JSON.parse(read(join(request.dir, 'started')));
  } catch {
    return null; // not there, or not whole
  }
}

function isGone(pid) {
  return !existsSync(`/proc/${pid}`) || / [ZX] /.test(read(`/proc/${pid}/stat`).replace(/.*\)/s, ''));
}

function read(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
