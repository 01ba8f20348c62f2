// Runs the simulation; `npm run simulate -- --runs N --seed S` starts it. Each run has a seed of its own, S and on, by which a finding is printed and can be had again.
// `--plants N` plants the first N known defects, one after the other, and wants each of them found. Ends non-zero when a law is broken, or a plant is not found.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
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
  const file = await bundled('simulate', null);
  const started = performance.now();
  const lanes = availableParallelism();
  const share = Math.ceil(count / lanes);
  const ranges = Array.from({ length: lanes }, (_, lane) => ({ first: seed + lane * share, count: Math.min(share, count - lane * share) }));
  const tallies = await Promise.all(ranges.filter(({ count: own }) => own > 0).map((range) => simulated({ file, ...range, findingsMax })));
  const sum = (of) => tallies.reduce((total, tally) => total + of(tally), 0);
  const names = new Set(tallies.flatMap(({ states }) => [...states.keys()]));
  const ends = [...names].map((name) => [name, sum(({ states }) => states.get(name) ?? 0)]).sort(([, a], [, b]) => b - a);
  const broken = tallies.flatMap((tally) => tally.broken);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${sum(({ runs }) => runs)} runs, ${sum(({ turns }) => turns)} turns in ${seconds} s: ${ends.map((end) => end.join(' ')).join(', ')}`);
  for (const one of broken) console.log(`FOUND, again with --runs 1 --seed ${one.seed}:\n  ${one.findings.join('\n  ')}`);
  return broken.length === 0;
}

async function findPlants(count) {
  let missed = 0;
  for (const [index, [name, plant]] of Object.entries(plants).slice(0, count).entries()) {
    const { simulateMany } = await import(await bundled(`plant-${index}`, plant));
    const { runs, broken } = await simulateMany({ first: seed, count: plantRunsMax, findingsMax: 1 });
    if (broken.length === 0) missed += 1;
    console.log(broken.length > 0 ? `found in ${runs} runs: ${name}: ${broken[0].findings[0].slice(0, 120)}` : `NOT FOUND in ${runs} runs: ${name}`);
  }
  return missed === 0;
}

function simulated(workerData) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./lane.mjs', import.meta.url), { workerData });
    thread.once('message', resolve).once('error', reject);
  });
}

async function bundled(name, plant) {
  const outfile = join(folder, `${name}.mjs`);
  await bundle(outfile, plant);
  return pathToFileURL(outfile).href;
}
