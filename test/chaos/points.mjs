// Owns the enumerated half of the chaos harness: node test/chaos/points.mjs [--points N] [--seed S]. A run without faults tells every named moment of a worker;
// then each one, or N of them drawn by the seed, gets a run of its own whose worker is killed exactly there. Every run must end as the one without faults.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generator } from './choices.mjs';
import { openWorld } from './world.mjs';

const { values } = parseArgs({ options: { points: { type: 'string', default: 'all' }, seed: { type: 'string', default: '1' } } });
const seed = Number(values.seed);
const wanted = values.points === 'all' ? Number.POSITIVE_INFINITY : Number(values.points);
if (!(wanted > 0) || !Number.isInteger(seed)) throw new Error('usage: points.mjs [--points N|all] [--seed S], N above 0, S a whole number');

/** Runs side by side, each on a stack of its own: most of a recovery is waiting for the heartbeat to be missed. */
const lanesMax = 4;
const pollMs = 50;

const orders = realpathSync(mkdtempSync(join(tmpdir(), 'pdlc-points-')));
const problems = [];
try {
  const all = await momentsOf(openLane('first'));
  const chosen = draw(all);
  const queue = [...chosen];
  await Promise.all(Array.from({ length: lanesMax }, (_, lane) => work(openLane(lane), queue)));
  print(all, chosen);
} finally {
  rmSync(orders, { recursive: true, force: true });
}
for (const problem of problems) console.log(`FAILED ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function openLane(name) {
  const folder = join(orders, String(name));
  mkdirSync(folder);
  const world = openWorld(seed, { PDLC_FAIL_POINTS: folder });
  return { world, file: (part) => join(folder, part), runs: 0 };
}

async function close({ world }) {
  const left = await world.leftovers();
  problems.push(...left);
  world.close(left.length > 0);
}

async function momentsOf(lane) {
  const found = await run(lane, null);
  if (found.length > 0) throw new Error(`the run without faults: ${found.join('; ')}`);
  const moments = readFileSync(lane.file('seen'), 'utf8').trim().split('\n');
  await close(lane);
  return moments;
}

async function work(lane, queue) {
  for (let moment = queue.shift(); moment !== undefined; moment = queue.shift()) {
    const found = await run(lane, moment);
    problems.push(...found.map((problem) => `${moment}: ${problem}`));
    if (found.length > 0) console.error(`${moment}: ${found.join('; ')}`);
  }
  await close(lane);
}

/** One feature from start to end with a kill at this moment (null: none); as soon as the worker is dead a person types `up`. */
async function run(lane, moment) {
  const feature = lane.world.makeFeature(lane.runs);
  lane.runs += 1;
  rmSync(lane.file('killed'), { force: true });
  if (moment !== null) writeFileSync(lane.file('kill'), moment);
  feature.start();
  let isUpAgain = moment === null;
  while (!(await feature.isOver())) {
    if (!isUpAgain && existsSync(lane.file('killed'))) isUpAgain = lane.world.up().code === 0;
    await feature.goOn(null);
    await sleep(pollMs);
  }
  const found = await feature.problems(moment === null ? [] : [{ victim: 'worker', moment }]);
  if (moment !== null && !existsSync(lane.file('killed'))) found.push('this moment never came');
  return found;
}

/** As many moments as wanted, in their order; the seed says which. */
function draw(all) {
  const random = generator(seed);
  const left = [...all];
  while (left.length > wanted) left.splice(random(left.length), 1);
  return left;
}

function print(all, chosen) {
  const rows = new Map();
  for (const moment of chosen) {
    const [act, side] = moment.split(' ');
    rows.set(`${act} | ${side}`, (rows.get(`${act} | ${side}`) ?? 0) + 1);
  }
  console.log('| act | side | kills |\n|---|---|---|');
  for (const [place, kills] of rows) console.log(`| ${place} | ${kills} |`);
  const end = problems.length === 0 ? 'every run ended as without faults, nothing doubled, nothing left' : `${problems.length} problems`;
  console.log(`${chosen.length} of ${all.length} moments, seed ${seed}: ${end}`);
}
