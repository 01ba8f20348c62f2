// Owns one simulated run from its seed to its findings, and many of them. Must never use any other chance than the seed's.
import type { Report } from '../../machines/contract/report.js';
import { isWaiting } from '../../machines/contract/run-state.js';
import { Chance } from './chance.js';
import { Laws } from './laws.js';
import { People } from './people.js';
import { checkRecord } from './record.js';
import { drawInput } from './scene.js';
import { Server } from './server.js';
import { World } from './world.js';

/** Turns after which a run that has not come to rest is taken to spin. */
const turnsMax = 1_500;

type Simulated = { state: string; turns: number; findings: string[] };

async function simulate(seed: number): Promise<Simulated> {
  const chance = new Chance(seed);
  const world = new World(drawInput(chance), chance);
  const people = new People(chance);
  const laws = new Laws(world, people);
  const server = new Server(world, (task) => laws.task(task), chance.pick([1_000_000, 60, 12]));
  const whims = chance.pick([12, 40, 1_000]);
  const crashes = chance.pick([1_000, 1_000, 20]);
  const reportNow = (): Report => server.query() as Report;
  await server.begin(world.input);
  let turns = 1;
  for (; !server.closed; turns += 1) {
    const report = reportNow();
    laws.moment(report, server.nowMs);
    if (turns > turnsMax) world.find('every run comes to rest', `${turns} turns, in ${report.state}`);
    if (world.findings.length > 0) break;
    if (chance.once(crashes)) await server.crash();
    const isResting = server.tasks.size === 0;
    if (isResting) laws.rest(report, world.isWritten);
    const isTimed = isWaiting(report.state) && server.timers.size > 0;
    if (isResting && !isTimed && people.isDone()) {
      if (world.isWritten && seed % 4 === 0) laws.same(report);
      break;
    }
    const doubled = people.doubled();
    if (isResting && isWaiting(report.state) && !(isTimed && chance.once(2))) {
      server.nowMs += 1 + chance.below(3_600_000);
      if (server.nowMs > server.nextDueMs()) await server.turn([...server.nextDue(), ...doubled]);
      else await server.turn([...doubled, ...people.leadOn(report)]);
    } else if (chance.once(whims)) {
      server.nowMs += chance.below(Math.max(1, server.nextDueMs() - server.nowMs));
      await server.turn([...doubled, ...people.whim()]);
    } else {
      const due = server.nextDue();
      const whim = chance.once(whims * 2) ? people.whim() : [];
      const jobs = chance.once(2) ? [...due, ...whim, ...doubled] : [...whim, ...due, ...doubled];
      if (jobs.length > 0) await server.turn(jobs);
    }
  }
  const report = reportNow();
  if (server.closed?.kind === 'broken') world.find('the workflow never breaks', server.closed.error);
  else if (server.closed) laws.end(report, world.isWritten);
  checkRecord(world, people, world.isWritten && !server.closed);
  return { state: report.state, turns, findings: world.findings };
}

/** What became of many runs: how many there were, how many ended in which state, and which broke a law. */
export type Tally = { runs: number; turns: number; states: Map<string, number>; broken: { seed: number; findings: string[] }[] };

/** Simulates the runs of `count` seeds from `first` on; stops after `findingsMax` that broke a law. */
export async function simulateMany({ first, count, findingsMax }: { first: number; count: number; findingsMax: number }): Promise<Tally> {
  const tally: Tally = { runs: 0, turns: 0, states: new Map(), broken: [] };
  // Failures are made by the thousand, and where they were made tells nothing; of a single run it may.
  if (count > 1) Error.stackTraceLimit = 0;
  for (let seed = first; seed < first + count && tally.broken.length < findingsMax; seed += 1) {
    const { state, turns, findings } = await simulate(seed);
    tally.runs += 1;
    tally.turns += turns;
    tally.states.set(state, (tally.states.get(state) ?? 0) + 1);
    if (findings.length > 0) tally.broken.push({ seed, findings });
  }
  return tally;
}
