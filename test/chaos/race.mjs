// Owns the race: node test/chaos/race.mjs [--rounds N] [--seed S]. Two to sixteen commands and up to two more workers go for one feature of one repository at once.
// One command must begin the run and all others attach; every one ends alike, each agent starts once, and what is left is what one command alone leaves.
import { spawn } from 'node:child_process';
import { command } from '../helpers/world.mjs';
import { askedFor, generator } from './choices.mjs';
import { openWorld } from './world.mjs';

const { count: rounds, seed } = askedFor('rounds', 20);

const commandsMax = 16;
const workersMax = 2;
/** Latest start of a command after the first, in ms: some rounds race for the start, some for a run under way. */
const staggerMsMax = 400;

const random = generator(seed);
const world = openWorld(seed);
const problems = [];
let raced = 0;
try {
  world.up();
  for (let round = 0; round < rounds; round += 1) {
    const found = await race(round);
    problems.push(...found.map((problem) => `round ${round}: ${problem}`));
    console.error(`round ${round}: ${raced} commands so far${found.length > 0 ? `; ${found.join('; ')}` : ''}`);
  }
  problems.push(...(await world.leftovers()));
} finally {
  world.close(problems.length > 0);
}
for (const problem of problems) console.log(`FAILED ${problem}`);
const end = problems.length === 0 ? 'one began each run, the others attached, each agent started once, nothing left' : `${problems.length} problems`;
console.log(`${rounds} rounds with ${raced} commands, seed ${seed}: ${end}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function race(round) {
  const feature = world.makeFeature(round);
  const workers = Array.from({ length: random(workersMax + 1) }, () => world.startWorker());
  const stagger = random(2) === 0 ? 0 : staggerMsMax;
  const racers = Array.from({ length: 2 + random(commandsMax - 1) }, async () => {
    await world.pause(random(stagger));
    return runCommand(feature);
  });
  raced += racers.length;
  const ends = await Promise.all(racers);
  for (const worker of workers) await worker.stop();
  return [...problemsOf(ends), ...feature.problemsAfter(ends[0], [])];
}

function problemsOf(ends) {
  const wrong = ends.filter(({ code, out }) => code !== 0 || !out.includes('<<<PDLC done stage=review>>>'));
  // A command that comes when the run is over finds a feature that is done: it begins nothing and attaches to nothing.
  const began = ends.filter(({ out }) => out.includes('to review with'));
  return [
    ...wrong.map(({ code, out }) => `a command ended with ${code}: ${out.trim().split('\n').slice(-3).join(' | ')}`),
    ...(began.length === 1 ? [] : [`expected one command to begin the run, found ${began.length} of ${ends.length}`]),
  ];
}

function runCommand({ dir }) {
  const child = spawn(process.execPath, [command, 'loop-run', 'F1'], { cwd: dir, env: world.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })));
}
