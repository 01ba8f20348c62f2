// Owns the nasty agents: node test/chaos/nasty.mjs [--runs N] [--seed S]. Agents that leave behind what is hard to find, ended by themselves or by the engine, with a control group and without.
// Afterwards nothing is left, but for the kinds that are known to escape where there is no control group; those are counted and said.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { containment } from '../../dist/activities/process/containment.js';
import { writeIntent } from '../../dist/activities/process/control-dir.js';
import { attachOrStart } from '../../dist/activities/process/launch.js';
import { sweep } from '../../dist/activities/process/sweep.js';
import { watch } from '../../dist/activities/process/watch.js';
import { killExactly, processes } from '../helpers/processes.mjs';
import { askedFor, generator } from './choices.mjs';

const { count: runs, seed } = askedFor('runs', 200);

/** How many kinds one agent leaves behind, and how long they may settle, in ms. */
const kindsAtOnce = 4;
const settleMsMax = 120;
/** How long is looked for a sign of life of what cannot be seen in one look, in ms. */
const signMs = 60;

const unmark = 'ulimit -S -w unlimited 2>/dev/null || ulimit -S -x unlimited';
const hidden = 'env -i /usr/bin/setsid';
const kinds = {
  'double fork': '(sleep 600 &)',
  'ignores TERM': '(trap "" TERM; sleep 600 &)',
  'stops itself': "(sh -c 'kill -STOP $$; sleep 600' &)",
  'holds stdout': '(setsid sleep 600 &)',
  'holds a port': `(${hidden} '${process.execPath}' -e 'require("net").createServer().listen(0)' &)`,
  'renames itself': `ln -s /bin/sleep kworker; (${hidden} ./kworker 600 &)`,
  'clears its environment': `(${hidden} /bin/sleep 600 <&- >/dev/null 2>&1 &)`,
  'forks meanwhile': `(${hidden} /bin/sh -c 'while :; do setsid sleep 600 & sleep 0.01; done' &)`,
  'hops in a group': `(${hidden} /bin/sh -c 'f() { : > born; f & }; f' &)`,
  'takes off its marks': `(${hidden} /bin/sh -c '${unmark}; exec sleep 600' &)`,
  'hops over sessions without marks': `(${hidden} /bin/sh ./hop &)`,
};
const escapesWithoutGroup = ['takes off its marks', 'hops in a group', 'hops over sessions without marks'];

const root = realpathSync(mkdtempSync(join(tmpdir(), 'pdlc tést-')));
const random = generator(seed);
const means = containment() === 'cgroup' ? ['cgroup', 'limit'] : [containment()];
const table = new Map();
const problems = [];
for (let run = 0; run < runs; run += 1) await oneRun(run, means[run % means.length]);
rmSync(root, { recursive: true, force: true, maxRetries: 5 });

console.log(`| kind |${means.map((mean) => ` escaped by ${mean} |`).join('')}`);
console.log(`|---|${means.map(() => '---|').join('')}`);
for (const kind of Object.keys(kinds)) console.log(`| ${kind} |${means.map((mean) => ` ${(table.get(`${kind} ${mean}`) ?? [0, 0]).join(' of ')} |`).join('')}`);
for (const problem of problems) console.log(`FAILED ${problem}`);
console.log(`${runs} runs, seed ${seed}: ${problems.length === 0 ? 'nothing escaped that should not' : `${problems.length} problems`}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function oneRun(run, mean) {
  const [folder, token] = [join(root, String(run)), `nasty.${process.pid}.${run}`];
  const chosen = new Set(Array.from({ length: kindsAtOnce }, () => Object.keys(kinds)[random(Object.keys(kinds).length)]));
  const dir = join(folder, 'control');
  const script = [...chosen].map((kind) => `cd '${placeOf(folder, kind)}'; ${kinds[kind]}`).join('\n');
  const isStopped = random(2) === 0;
  const argv = ['/bin/sh', '-c', `${script}\nsleep 0.${String(random(settleMsMax)).padStart(3, '0')}; ${isStopped ? 'sleep 600' : 'exit 7'}`];
  if (mean !== 'cgroup') await writeIntent(dir, { token, argv, cwd: folder }, '');
  const handle = await attachOrStart({ dir, token, cwd: folder, argv, env: { PATH: '/usr/bin:/bin' }, prompt: '' });
  const limits = { wallMs: isStopped ? 200 + random(settleMsMax) : 60_000, outputBytesMax: 1_000_000 };
  const exit = await watch(handle, { signal: new AbortController().signal, onBeat: () => {}, limits, graceMs: 40 });
  const { clean } = await sweep(token, handle);
  const say = (what) => problems.push(`run ${run} by ${mean}: ${what} (${[...chosen].join(', ')})`);
  if (isStopped ? exit.kind !== 'timed_out' : exit.exitCode !== 7) say(`ended as ${JSON.stringify(exit)}`);
  if (!clean) say('the sweep did not end clean');
  const escaped = await escapees(folder, chosen);
  for (const kind of chosen) {
    const [some, all] = table.get(`${kind} ${mean}`) ?? [0, 0];
    table.set(`${kind} ${mean}`, [some + (escaped.has(kind) ? 1 : 0), all + 1]);
    if (escaped.has(kind) && (mean === 'cgroup' || !escapesWithoutGroup.includes(kind))) say(`${kind} escaped`);
  }
  // Without its script what hops over sessions ends by itself.
  for (const kind of chosen) rmSync(join(folder, kind, 'hop'));
  await sleep(signMs);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A folder of its own for each kind says whose a process is; the hopping ones show themselves by a file that comes again. */
function placeOf(folder, kind) {
  const place = join(folder, kind);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'hop'), `${unmark}; : > born; setsid sh ./hop & exit`);
  return place;
}

async function escapees(folder, chosen) {
  const found = new Set();
  const born = (kind) => join(folder, kind, 'born');
  for (const kind of chosen) rmSync(born(kind), { force: true });
  await sleep(signMs);
  for (const kind of chosen) if (existsSync(born(kind))) found.add(kind);
  for (const { pid, cwd } of processes()) {
    const kind = [...chosen].find((one) => cwd === join(folder, one));
    if (kind === undefined) continue;
    found.add(kind);
    killExactly(pid);
  }
  return found;
}
