// Runs the simulation; `npm run simulate -- --runs N --seed S` starts it. Each run has a seed of its own, S and on, by which a finding is printed and can be had again.
// `--plants N` plants the first N known defects, one after the other, and wants each of them found. Ends non-zero when a law is broken, or a plant is not found.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';
import { plants } from './plants.mjs';

/** Broken runs after which the simulation stops. */
const findingsMax = 5;
/** Runs within which a plant has to be found. */
const plantRunsMax = 2_000;

const options = { runs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' }, plants: { type: 'string' } };
const { values } = parseArgs({ options });
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), 'pdlc-simulate-'));
try {
  process.exitCode = (values.plants ? await findPlants(Number(values.plants)) : await findNothing(Number(values.runs))) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function findNothing(count) {
  const { simulateMany } = await load('simulate', null);
  const started = process.cpuUsage();
  const { runs, turns, states, broken } = await simulateMany({ first: seed, count, findingsMax });
  const { user, system } = process.cpuUsage(started);
  const ends = [...states].sort(([, a], [, b]) => b - a).map(([state, number]) => `${state} ${number}`);
  console.log(`${runs} runs, ${turns} turns in ${Math.round((user + system) / 1e6)} s of processor time: ${ends.join(', ')}`);
  for (const one of broken) console.log(`FOUND, again with --runs 1 --seed ${one.seed}:\n  ${one.findings.join('\n  ')}`);
  return broken.length === 0;
}

async function findPlants(count) {
  let missed = 0;
  for (const [index, [name, plant]] of Object.entries(plants).slice(0, count).entries()) {
    const { simulateMany } = await load(`plant-${index}`, plant);
    const { runs, broken } = await simulateMany({ first: seed, count: plantRunsMax, findingsMax: 1 });
    if (broken.length === 0) missed += 1;
    console.log(broken.length > 0 ? `found in ${runs} runs: ${name}: ${broken[0].findings[0].slice(0, 120)}` : `NOT FOUND in ${runs} runs: ${name}`);
  }
  return missed === 0;
}

async function load(name, plant) {
  const outfile = join(folder, `${name}.mjs`);
  await bundle(outfile, plant);
  return import(pathToFileURL(outfile).href);
}
