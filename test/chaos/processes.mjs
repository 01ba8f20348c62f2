// Owns the process chaos: node test/chaos/processes.mjs [--kills N] [--seed S]. No server: engines, nurseries, supervisors and agents of the compiled process folder, killed with -9 at listed and at random moments.
// Afterwards no agent was started twice, no lost one was read as success, no finished result was lost whose supervisor lived, and nothing is left.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAttempt } from './attempts.mjs';
import { askedFor, generator, openTable } from './choices.mjs';

const { count: killsWanted, seed } = askedFor('kills', 500);

/** Attempts at the same time. */
const lanes = 5;
/** Most kills of one random attempt; a delay is 0 to delayMax, in ms or turns of the event loop or tenths of a ms, as the moment asks. */
const strikesMax = 5;
const delayMax = 60;

const listed = [
  ...['begin', 'intended', 'asked', 'attached', 'beat', 'ending', 'ended', 'sweep', 'swept', 'stop'].map((moment) => ({ victim: 'engine', moment })),
  ...['begin', 'intended', 'asked', 'attached', 'beat', 'ending', 'ended'].map((moment) => ({ victim: 'nursery', moment })),
  ...['start', 'running', 'halted', 'ending'].map((moment) => ({ victim: 'supervisor', moment })),
  ...['running', 'ending'].map((moment) => ({ victim: 'agent', moment })),
  ...['running', 'ending'].map((moment) => ({ victim: 'all', moment })),
];
const others = ['nursery', 'supervisor', 'agent', 'all', 'engine and nursery', 'engine and supervisor', 'engine and agent'];

const root = realpathSync(mkdtempSync(join(tmpdir(), 'pdlc tést-')));
const random = generator(seed);
const table = openTable();
const problems = [];
const ends = new Map();
let kills = 0;
let cases = 0;
const startedMs = performance.now();

await Promise.all(Array.from({ length: lanes }, work));
if (problems.length === 0) rmSync(root, { recursive: true, force: true });
table.print();
for (const problem of problems) console.log(`FAILED ${problem}`);
console.log(`ends: ${[...ends].map(([kind, times]) => `${kind} ${times}`).join(', ')}; ${Math.round((performance.now() - startedMs) / 1000)} s`);
console.log(
  `${kills} kills, seed ${seed}: ${problems.length === 0 ? 'every decision was right, nothing started twice, nothing left' : `${problems.length} problems; kept for a look: ${root}`}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function work() {
  while (kills < killsWanted) {
    const number = cases;
    cases += 1;
    await runCase(number, strikesOf(number));
  }
}

/** Every third attempt takes the next listed moment, the others are random: some engines die in turn, then perhaps another victim. */
function strikesOf(number) {
  if (number % 3 === 0) return [{ ...listed[(number / 3) % listed.length], delay: random(delayMax) }];
  const engines = Array.from({ length: 1 + random(strikesMax - 1) }, () => 'engine');
  return [...engines, others[random(others.length)]].map((victim) => ({ victim, moment: 'random', delay: random(delayMax) }));
}

/** One attempt under fire and, as long as it is lost, the next one without. */
async function runCase(number, strikes) {
  let killing = strikes;
  for (let attempt = 1; ; attempt += 1) {
    const [folder, token] = [join(root, `${number}-${attempt}`), `chaos.${process.pid}.${number}.${attempt}`];
    const { exit, problems: found } = await openAttempt({ folder, token, code: [0, 0, 3][random(3)], strikes: killing, count }).settle();
    ends.set(exit.kind, (ends.get(exit.kind) ?? 0) + 1);
    problems.push(
      ...found.map(
        (problem) =>
          `case ${number}, attempt ${attempt}: ${problem} (${strikes.map(({ victim, moment, delay }) => `${victim} ${moment} ${delay}`).join(', ')})`,
      ),
    );
    if (exit.kind !== 'lost' || attempt > 1) return;
    killing = [];
  }
}

function count(victim, moment) {
  kills += 1;
  table.count(victim, moment);
}
