// Owns the proof that waiting is free: node test/chaos/parked.mjs [--runs N]. N parked runs on one local stack, then: what they hold, and whether anything else is slower for it.
// Prints a table and exits non-zero on a finding.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { approvingCard, openFolder, stateFile } from '../helpers/world.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000' } } });
const runs = Number(values.runs);
if (!(Number.isInteger(runs) && runs > 0)) throw new Error('usage: parked.mjs [--runs N], N above 0');

/** Runs that are begun at once. */
const atOnce = 25;
/** How long all of them may take to be parked, in ms. */
const parkedMsMax = 150_000;
/** How long the stack is left to settle, and is then watched, in ms. */
const [settleMs, idleMs] = [60_000, 30_000];
/** Goals: CPU of one core while nothing happens, resident memory, and by how much anything may be slower than with no run parked. */
const [idleShareMax, workerMibMax, slowerMax, slowerMs] = [0.01, 400, 2, 2_000];
/** Ticks per second in /proc/PID/stat. */
const ticksPerSecond = 100;

const agent = `#!/bin/sh
cat >/dev/null
case $PDLC_ROLE-$PDLC_STAGE in
  worker-tdd) echo t >feature.test.js ;;
  worker-implement) echo i >feature.js ;;
  evaluator-*) ${approvingCard} ;;
esac
`;
const settings = { agent: { command: ['./agent.sh'] }, checks: { unit: 'test ! -e feature.test.js || test -e feature.js' } };
const [first, asked] = ['P0', 'P1'];
const features = ['before', 'cold', 'after', 'rebooted', first, asked];

const world = openFolder('parked');
const repo = join(world.root, 'repo');
const findings = [];
const rows = [];
try {
  await main();
} finally {
  world.close({ keep: findings.length > 0 });
}
console.log(`| what | found | goal |\n|---|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`);
for (const finding of findings) console.log(`FAILED ${finding}`);
console.log(
  `${runs} parked runs: ${findings.length === 0 ? 'they cost nothing while they wait' : `${findings.length} findings; kept for a look: ${world.root}`}`,
);
process.exitCode = findings.length === 0 ? 0 : 1;

async function main() {
  const states = Object.assign({}, ...features.map((id) => stateFile(id, 'design.md')));
  world.makeRepo(repo, { 'agent.sh': agent, 'design.md': 'A design.\n', 'pdlc.yaml': JSON.stringify(settings), ...states });
  world.pdlc(repo, 'up');
  const runBefore = timed('loop-run', 'before');
  const statusBefore = timed('status', 'before');
  const coldBefore = timedCold('cold');
  const connection = await Connection.connect({ address: `127.0.0.1:${world.stack().ports.server}` });
  const client = new Client({ connection, namespace: 'pdlc' });
  const started = performance.now();
  await park(client);
  note(`${runs} runs started and parked`, `${seconds(performance.now() - started)} s`, '');
  await lookAtParked(client);
  await connection.close();
  await lookAtStack();
  compare('a new run, start to end', runBefore, timed('loop-run', 'after'));
  compare('status of a parked run', statusBefore, timed('status', asked));
  world.pdlc(repo, 'extend', first, '--usd', '+20');
  compare('a parked run goes on to its end', runBefore, timed('loop-run', first));
  compare('a new run after server and worker were killed', coldBefore, timedCold('rebooted'));
  const again = JSON.parse(world.pdlc(repo, 'status', asked, '--json').stdout);
  expect('a parked run is still parked after that', again.state, again.state === 'capped', 'capped');
}

/** Starts runs as the command does, from the input of one that it did start, with no money or no step: each parks before its first agent. */
async function park(client) {
  const template = await inputOf(client);
  const ids = Array.from({ length: runs }, (_, index) => `P${index}`);
  for (let from = 0; from < ids.length; from += atOnce) await Promise.all(ids.slice(from, from + atOnce).map((id) => parkOne(client, template, id)));
  const deadline = performance.now() + parkedMsMax;
  while ((await countParked(client)) < runs && performance.now() < deadline) await sleep(200);
  const parked = await countParked(client);
  expect('parked', parked, parked === runs, `${runs}`);
}

async function parkOne(client, template, id) {
  const files = template.input.files.replace('/before/', `/${id}/`);
  cpSync(template.input.files, files, { recursive: true });
  const { config } = template.input;
  const limits = { ...config.limits, ...(Number(id.slice(1)) % 2 === 0 ? { usd: 0 } : { steps: 0 }) };
  const input = { ...template.input, featureId: id, branch: `pdlc/${id}`, files, config: { ...config, limits } };
  const attributes = { PdlcFeatureId: [id], PdlcStage: ['tdd'], PdlcState: ['preparing'] };
  const workflowId = template.workflowId.replace(/before$/, id);
  await client.workflow.start('featureRun', { args: [input], workflowId, taskQueue: 'pdlc', searchAttributes: attributes });
}

async function inputOf(client) {
  const { workflowId } = JSON.parse(world.pdlc(repo, 'status', 'before', '--json').stdout);
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const [payload] = events[0].workflowExecutionStartedEventAttributes.input.payloads;
  return { workflowId, input: JSON.parse(Buffer.from(payload.data).toString()) };
}

async function countParked(client) {
  return (await client.workflow.count("PdlcState IN ('paused', 'capped') AND ExecutionStatus = 'Running'")).count;
}

/** What keeps a run alive while it waits: nothing on the server but its history. */
async function lookAtParked(client) {
  const { workflowId } = JSON.parse(world.pdlc(repo, 'status', first, '--json').stdout);
  const handle = client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const timers = events.reduce(
    (open, event) => open + (event.timerStartedEventAttributes ? 1 : 0) - ((event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes) ? 1 : 0),
    0,
  );
  const activities = raw.pendingActivities?.length ?? 0;
  expect('open timers and activities of a parked run', `${timers} and ${activities}`, timers === 0 && activities === 0, '0 and 0');
}

async function lookAtStack() {
  await sleep(settleMs);
  const { server, worker } = world.stack();
  const nursery = childrenOf(worker.identity.pid);
  const pids = [server.identity.pid, worker.identity.pid, ...nursery];
  const before = pids.map(ticksOf);
  await sleep(idleMs);
  const shares = pids.map((pid, index) => (ticksOf(pid) - before[index]) / ticksPerSecond / (idleMs / 1_000));
  const share = shares.reduce((sum, one) => sum + one, 0);
  const others = marked().filter((pid) => !pids.includes(pid));
  expect('processes beside server, worker and nursery', others.length, others.length === 0 && nursery.length === 1, '0');
  expect(
    'idle server, worker and nursery',
    `${[share, ...shares]
      .map((one) => (one * 100).toFixed(2))
      .join(' = ')
      .replaceAll(/(?<== [^=]+) = /g, ' + ')} % of a core`,
    share < idleShareMax,
    '< 1 %',
  );
  const mib = Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.identity.pid}/status`, 'utf8'))?.[1]) / 1024);
  expect('worker, resident', `${mib} MiB`, mib <= workerMibMax, `≤ ${workerMibMax} MiB`);
}

function timed(name, id) {
  const started = performance.now();
  const { code, stderr } = world.pdlc(repo, name, id);
  if (code !== 0) findings.push(`${name} ${id} ended with ${code}: ${stderr.slice(-300)}`);
  return performance.now() - started;
}

/** With server and worker killed an instant before. */
function timedCold(id) {
  const { server, worker } = world.stack();
  for (const { identity } of [server, worker]) process.kill(identity.pid, 'SIGKILL');
  return timed('loop-run', id);
}

function compare(what, beforeMs, afterMs) {
  const limitMs = beforeMs * slowerMax + slowerMs;
  expect(what, `${seconds(afterMs)} s`, afterMs <= limitMs, `≤ ${seconds(limitMs)} s (${seconds(beforeMs)} s with none parked)`);
}

function expect(what, found, holds, goal) {
  note(what, found, goal);
  if (!holds) findings.push(`${what}: expected ${goal}, found ${found}`);
}

function note(what, found, goal) {
  rows.push([what, found, goal]);
  console.error(`${what}: ${found}`);
}

function seconds(ms) {
  return (ms / 1_000).toFixed(2);
}

function ticksOf(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Everything alive that was started in this world. */
function marked() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environ(name).includes(world.root))
    .map(Number);
}

function environ(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // gone, or not ours to read
  }
}
