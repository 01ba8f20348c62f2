// Owns the chaos harness: node test/chaos/main.mjs [--kills N] [--seed S]. Real loops on a real server; kill -9 of a random process of ours at a random moment, again and again.
// Afterwards every run must have ended as the one without faults, with no agent doubled, no attempt charged wrongly and nothing left behind.
import { askedFor, openTable } from './choices.mjs';
import { openWorld } from './world.mjs';

const { count: killsWanted, seed } = askedFor('kills', 60);

/** Most kills in one run, so that every run ends. */
const killsPerRunMax = 4;
/** Kills of one victim in one run: more of an agent or a check would use up its attempts, which is then the right end. */
const perVictimMax = { agent: 1, check: 1, supervisor: 2, nursery: 2, cli: 2, worker: 2, server: 1 };

const world = openWorld(seed);
const table = openTable();
const problems = [];
let kills = 0;
try {
  for (let run = 0; kills < killsWanted; run += 1) {
    const feature = world.makeFeature(run);
    const killed = await torment(feature);
    kills += killed.length;
    for (const { victim, moment } of killed) table.count(victim, moment);
    const found = await feature.problems(killed);
    problems.push(
      ...found.map((problem) => `run ${run}: ${problem} (killed: ${killed.map(({ victim, moment }) => `${victim} in ${moment}`).join(', ') || 'nothing'})`),
    );
    console.error(`run ${run}: ${kills} of ${killsWanted} kills${found.length > 0 ? `; ${found.join('; ')}` : ''}`);
  }
  problems.push(...(await world.leftovers()));
} finally {
  world.close(problems.length > 0);
}
table.print();
for (const problem of problems) console.log(`FAILED ${problem}`);
console.log(
  `${kills} kills, seed ${seed}: ${problems.length === 0 ? 'every run ended as without faults, nothing doubled, nothing left' : `${problems.length} problems; the same seed tries the same again`}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Runs one feature to its end, killing on the way; the command is repeated as a person would. */
async function torment(feature) {
  const killed = [];
  const wanted = 1 + world.random(killsPerRunMax);
  feature.start();
  while (!(await feature.isOver())) {
    await world.pause(world.random(700));
    const choice = killed.length < wanted && world.random(3) === 0 ? pick(feature.victims(), killed) : null;
    const moment = feature.moment();
    if (choice && feature.kill(choice)) killed.push({ victim: choice.victim, moment });
    await feature.goOn(choice?.victim ?? null);
  }
  return killed;
}

/** A victim among those that are alive and may still be killed; rather one that lives for a moment only. */
function pick(alive, killed) {
  const allowed = alive.filter(({ victim }) => killed.filter((one) => one.victim === victim).length < perVictimMax[victim]);
  const brief = allowed.filter(({ victim }) => ['agent', 'supervisor', 'check'].includes(victim));
  const from = brief.length > 0 && world.random(4) > 0 ? brief : allowed;
  const kinds = [...new Set(from.map(({ victim }) => victim))];
  const kind = kinds[world.random(kinds.length)];
  return from.find(({ victim }) => victim === kind) ?? null;
}
