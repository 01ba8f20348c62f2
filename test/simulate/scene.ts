// Owns what a simulated run starts with: an input whose limits, start and options are drawn from the seed.
import type { Config } from '../../machines/contract/config.js';
import { defaultLimits, type Limits } from '../../machines/contract/limits.js';
import type { RunInput } from '../../machines/contract/run-input.js';
import type { Chance } from './chance.js';

const hour = 3_600_000;
const [base, earlier] = ['b'.repeat(40), 'e'.repeat(40)];

/** Draws the input of a run. */
export function drawInput(chance: Chance): RunInput {
  const later = chance.once(4);
  return {
    ...{ featureId: 'F1', project: 'p-1', hostId: 'h', repo: '/repo', gitDir: '/repo/.git', branch: 'pdlc/F1', base, configSource: 'pdlc.yaml' },
    tip: later ? earlier : base,
    branchTip: later ? earlier : null,
    saveTipAs: null,
    startStage: chance.pick(['tdd', 'tdd', 'tdd', 'implement', 'review']),
    entry: chance.once(6) ? 'judge' : 'work',
    design: { path: 'design.md', digest: 'd' },
    config: configOf(drawLimits(chance), chance.once(3)),
    honor: chance.once(10),
    files: '/files',
    heartbeatMs: 5_000,
  };
}

function drawLimits(chance: Chance): Limits {
  return {
    ...defaultLimits,
    steps: chance.pick([4, 4, 4, 4, 3, 2, 1, 0, 7]),
    attempts: chance.pick([2, 2, 2, 2, 3, 1, 0]),
    usd: chance.pick([20, 20, 20, 100, 5, 0]),
    tokens: chance.pick([null, null, null, 5_000]),
    deadline: chance.pick([24 * hour, 24 * hour, 24 * hour, 2 * hour, hour / 2, 0]),
    wait: chance.pick([6 * hour, 6 * hour, 60_000]),
  };
}

function configOf(limits: Limits, setup: boolean): Config {
  const { attempts, usdPerAttempt, wall, silence } = limits;
  const command = { run: 'true', timeout: 1, env: {} };
  const agent = { command: ['agent'], env: {}, pass: [] };
  const stage = { agent, evaluator: agent, model: null, attempts, usdPerAttempt, wall, silence };
  const stages = { tdd: stage, implement: stage, review: stage };
  return { setup: setup ? command : null, checks: { unit: command }, seal: { paths: [], dependencies: 'ask' }, limits, stages };
}
