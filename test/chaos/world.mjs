// Owns the world of the chaos harness: a stack of its own in a temporary folder, features with agents that log their starts, who of ours is alive, and what must hold afterwards.
// Must never kill a process that it did not find by its own folder, its own record or its own mark.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, killExactly, processes } from '../helpers/processes.mjs';
import { approvingCard, command, openFolder, stateFile } from '../helpers/world.mjs';
import { generator } from './choices.mjs';

/** Longest time a run may take with all its kills, in ms; then it counts as lost. */
const runMsMax = 120_000;
/** How long processes may take to be gone when all is over, in ms. */
const goneMsMax = 5_000;
const attemptsOfAgent = 2;
const workerEntry = join(dirname(command), '../worker/main.js');

const agent = `#!/bin/sh
# Logs its start, and every other agent of this feature that it finds alive.
cat >/dev/null
log=$PDLC_CHAOS_LOG
while read -r _ _ _ pid; do
  [ "$pid" != $$ ] && [ -r "/proc/$pid/stat" ] && ! grep -q ') Z ' "/proc/$pid/stat" && tr '\\0' '\\n' <"/proc/$pid/environ" | grep -q "^PDLC_CHAOS_LOG=$log$" && echo "doubled by $$: $pid" >>"$log.doubled"
done <"$log"
echo "$PDLC_ROLE $PDLC_STAGE $PDLC_ATTEMPT $$" >>"$log"
sleep 0.3
case $PDLC_ROLE-$PDLC_STAGE in
  worker-tdd) echo t >feature.test.js ;;
  worker-implement) echo i >feature.js ;;
  evaluator-*) ${approvingCard} ;;
esac
`;
const check = 'sleep 0.1; test ! -e feature.test.js || test -e feature.js';

/** Opens a world, `more` in its environment; equal seeds make equal choices, as far as the machine lets them. */
export function openWorld(seed, more = {}) {
  const world = { ...openFolder('chaos', more), random: generator(seed) };
  return {
    env: world.env,
    up: () => world.pdlc(world.root, 'up'),
    startWorker: () => startWorker(world),
    random: world.random,
    pause: (ms) => sleep(ms),
    makeFeature: (number) => makeFeature(world, number),
    leftovers: async () => leftoversOf(world),
    close: (keep) => {
      world.close({ keep });
      if (keep) console.error(`kept for a look: ${world.root}`);
    },
  };
}

function makeFeature(world, number) {
  const dir = join(world.root, `repo-${number}`);
  const log = join(world.root, `agents-${number}.log`);
  writeFileSync(log, '');
  const settings = { agent: { command: ['./agent.sh'], env: { PDLC_CHAOS_LOG: log } }, checks: { unit: check } };
  world.makeRepo(dir, { 'agent.sh': agent, 'design.md': 'A design.\n', 'pdlc.yaml': JSON.stringify(settings), ...stateFile('F1', 'design.md') });
  const deadline = Date.now() + runMsMax;
  let cli = null;
  let last = { code: null, out: '' };
  const start = () => {
    const child = spawn(process.execPath, [command, 'loop-run', 'F1'], { cwd: dir, env: world.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const own = { pid: child.pid, out: '', over: false };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (own.out += text));
    child.once('close', (code) => {
      own.over = true;
      last = { code, out: own.out };
    });
    cli = own;
  };
  return {
    dir,
    start,
    isOver: async () => (cli.over && (last.code === 0 || isStop(last.code))) || Date.now() > deadline,
    victims: () => [...(cli.over ? [] : [{ victim: 'cli', pid: cli.pid }]), ...stackOf(world), ...markedOf(log, dir)],
    kill: ({ pid }) => killExactly(pid),
    moment: () => momentOf(world, dir),
    /** What a person does who finds it dead: the same command again, now and then; a command that follows the run puts a dead stack right by itself. */
    goOn: async (victim) => {
      if ((victim === 'worker' || victim === 'server') && world.random(2) === 0) killExactly(cli.over ? 0 : cli.pid);
      if (victim) await sleep(20);
      if (cli.over && last.code !== 0 && !isStop(last.code)) start();
      else if (victim === 'cli') start();
    },
    problems: (killed) => problemsOf(world, { dir, log, killed, last, lost: Date.now() > deadline }),
    /** The same after a command that the caller ran itself. */
    problemsAfter: (end, killed) => problemsOf(world, { dir, log, killed, last: end, lost: false }),
  };
}

/** One more worker beside the stack's own, as after an upgrade that went wrong; `stop` resolves when it is gone. */
function startWorker({ env, stack }) {
  const own = { ...env, PDLC_TEMPORAL_ADDRESS: `127.0.0.1:${stack().ports.server}`, PDLC_TEMPORAL_NAMESPACE: 'pdlc' };
  const child = spawn(process.execPath, [workerEntry], { env: own, stdio: 'ignore' });
  return {
    stop: () => {
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      return gone;
    },
  };
}

/** Exit codes of a run that waits or ended; anything else is a command that is to be repeated. */
const isStop = (code) => [2, 3, 4, 5, 6, 7].includes(code);

function problemsOf({ git, pdlc }, { dir, log, killed, last, lost }) {
  if (lost) return [`it did not end within ${runMsMax} ms: ${last.out.slice(-300)}`];
  const problems = [];
  const times = (victim) => killed.filter((one) => one.victim === victim).length;
  if (last.code !== 0) problems.push(`it ended with ${last.code}: ${last.out.trim().split('\n').slice(-4).join(' | ')}`);
  const starts = readFileSync(log, 'utf8').trim().split('\n').filter(Boolean);
  if (existsSync(`${log}.doubled`)) problems.push(`two agents at once: ${readFileSync(`${log}.doubled`, 'utf8').trim()}`);
  const startsMax = 3 + times('agent') + times('supervisor') + times('check');
  if (starts.length < 3 || starts.length > startsMax) problems.push(`expected 3 to ${startsMax} agents, found ${starts.length}: ${starts.join(', ')}`);
  const report = JSON.parse(pdlc(dir, 'status', 'F1', '--json').stdout);
  const attempts = report.steps.map(({ attempts: used }) => used);
  const charged = attempts.reduce((sum, used) => sum + used, 0);
  if (report.steps.length !== 3 || charged > attemptsOfAgent + times('agent') + times('check'))
    problems.push(`expected three steps and no attempt charged for what was not the agent's doing, found attempts ${attempts}`);
  if (last.code === 0) {
    const files = git(dir, 'ls-tree', '--name-only', 'pdlc/F1').split('\n');
    if (!files.includes('feature.js') || !files.includes('feature.test.js')) problems.push(`the branch lacks work: ${files.join(' ')}`);
    const subjects = git(dir, 'log', '--format=%s', '--reverse', `${report.base}..pdlc/F1`)
      .split('\n')
      .map((line) => line.replace(/attempt \d/, 'attempt n'));
    const expected = [
      'pdlc(F1): tdd, attempt n',
      'pdlc(F1): tdd passed',
      'pdlc(F1): implement, attempt n',
      'pdlc(F1): implement passed',
      'pdlc(F1): review passed',
    ];
    const without = subjects.filter((subject, index) => subject !== subjects[index - 1]);
    if (without.join('\n') !== expected.join('\n')) problems.push(`unexpected commits: ${subjects.join('; ')}`);
  }
  const history = pdlc(dir, 'history', 'F1', '--json');
  if (history.code !== 0 || JSON.parse(history.stdout).problem) problems.push(`the ledger: ${history.stdout.slice(0, 200)}`);
  if (git(dir, 'status', '--porcelain') !== '') problems.push('the checkout changed');
  const fsck = git(dir, 'fsck', '--strict', '--no-dangling');
  if (fsck !== '') problems.push(`git fsck: ${fsck}`);
  const locks = filesBelow(join(dir, '.git')).filter((path) => path.endsWith('.lock'));
  if (locks.length > 0) problems.push(`locks were left: ${locks.join(' ')}`);
  return problems;
}

async function leftoversOf(world) {
  const { root, env, pdlc } = world;
  pdlc(root, 'down');
  const left = () => processes().filter(({ pid, environ, cmdline }) => pid !== process.pid && (environ.includes(root) || cmdline.includes(root)));
  for (let waited = 0; waited < goneMsMax && left().length > 0; waited += 50) await sleep(50);
  const trees = filesBelow(join(env.PDLC_HOME, 'projects'), 5).filter((path) => /\/runs\/[^/]+\/tree$/.test(path));
  return [...left().map(({ pid, cmdline }) => `process ${pid} was left: ${cmdline.slice(0, 120)}`), ...trees.map((path) => `tree ${path} was left`)];
}

function stackOf(world) {
  try {
    const { server, worker } = world.stack();
    const pids = { server: server?.identity.pid, worker: worker?.identity.pid };
    const own = Object.entries(pids).flatMap(([victim, pid]) => (pid && existsSync(`/proc/${pid}`) ? [{ victim, pid }] : []));
    return [...own, ...childrenOf(pids.worker).map((pid) => ({ victim: 'nursery', pid }))];
  } catch {
    return []; // not started yet, or being written
  }
}

/** Supervisors, agents and checks of one feature, by the mark and the folder in their environment and place. */
function markedOf(log, dir) {
  return processes().flatMap(({ pid, environ, cmdline, cwd }) => {
    if (!environ.includes('PDLC_MARK=') || !(environ.includes(log) || cwd.includes(project(dir)))) return [];
    if (cmdline.includes('pdlc-supervisor')) return [{ victim: 'supervisor', pid }];
    if (!cmdline.includes('sh')) return [];
    return [{ victim: environ.includes('PDLC_ROLE=') ? 'agent' : 'check', pid }];
  });
}

const project = (dir) => `/projects/${dir.split('/').at(-1)}-`;

/** Which act of a run had a process last, by its control directories. */
function momentOf({ env }, dir) {
  const folders = filesBelow(join(env.PDLC_HOME, 'projects'), 7).filter((path) => path.includes(project(dir)) && /\/attempts\/[^/]+$/.test(path));
  const latest = folders.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((a, b) => b.at - a.at)[0]?.path ?? '';
  const [, stage, act] = /\/(tdd|implement|review)-\d+-\d+(?:r\d+)?-([a-z]+)[^/]*$/.exec(latest) ?? [null, 'before', 'the first act'];
  return `${stage} ${act}`;
}

function filesBelow(folder, depth = 9) {
  if (!existsSync(folder) || depth === 0) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...filesBelow(path, depth - 1)] : [path];
  });
}
