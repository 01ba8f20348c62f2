// Guarantees of resolving a configuration: flags win over the file, the file over defaults, and nothing that is needed is guessed.
import { expect, test } from 'vitest';
import { parseConfig } from '../../../activities/project/config-file.js';
import { maskedExit } from '../../../activities/project/masked-exit.js';
import { resolveConfig } from '../../../activities/project/resolve.js';
import { type ConfigFile, configSchema } from '../../../machines/contract/config.js';
import { defaultLimits } from '../../../machines/contract/limits.js';

const fileOf = (text: string): ConfigFile => {
  const reading = parseConfig(text, 'pdlc.yaml');
  if (!reading.ok) throw new Error(reading.problems[0]?.message);
  return reading.file;
};
const agent = (...command: string[]) => ({ command, env: {}, pass: [] });
const command = (run: string) => ({ run, timeout: 600_000, env: {} });

test('defaults fill what neither file nor flags say, and the evaluator is the agent', () => {
  const stage = { agent: agent('a'), evaluator: agent('a'), model: null, attempts: 2, usdPerAttempt: 5, wall: 1_800_000, silence: 330_000 };
  const resolved = resolveConfig({ file: fileOf('agent: { command: [a] }\nchecks: { unit: npm test }\n'), flags: {}, honor: false });
  expect(resolved).toEqual({
    ok: true,
    warnings: [],
    config: {
      setup: null,
      checks: { unit: command('npm test') },
      seal: { paths: [], dependencies: 'ask' },
      limits: defaultLimits,
      stages: { tdd: stage, implement: stage, review: stage },
    },
  });
  expect(configSchema.parse(resolved.ok && resolved.config)).toEqual(resolved.ok && resolved.config);
});

test('a stage has its own agent, evaluator, model and limits where the file says so', () => {
  const text =
    'agent: { command: [a] }\nevaluator: { command: [e] }\nmodel: m\nchecks: { unit: x }\nlimits: { wall: 10m }\nstages: { review: { agent: { command: [r] }, model: big, limits: { attempts: 0 } }, tdd: { evaluator: { command: [t] } } }\n';
  const resolved = resolveConfig({ file: fileOf(text), flags: {}, honor: false });
  expect(resolved.ok && resolved.config.stages).toMatchObject({
    tdd: { agent: agent('a'), evaluator: agent('t'), model: 'm', attempts: 2, wall: 600_000 },
    implement: { agent: agent('a'), evaluator: agent('e'), model: 'm' },
    review: { agent: agent('r'), evaluator: agent('e'), model: 'big', attempts: 0, wall: 600_000 },
  });
});

test('without an evaluator of its own a stage is judged by its own agent', () => {
  const resolved = resolveConfig({
    file: fileOf('agent: { command: [a] }\nchecks: { unit: x }\nstages: { review: { agent: { command: [r] } } }\n'),
    flags: {},
    honor: false,
  });
  expect(resolved.ok && resolved.config.stages.review.evaluator).toEqual(agent('r'));
});

test('flags win over the file, and zero means zero', () => {
  const file = fileOf('agent: { command: [a] }\nchecks: { unit: x, lint: y }\nlimits: { steps: 3, usd: 9 }\n');
  const resolved = resolveConfig({ file, flags: { limits: { steps: 7, usd: 0 }, verify: 'make test' }, honor: false });
  expect(resolved).toMatchObject({
    ok: true,
    config: { checks: { unit: command('make test'), lint: command('y') }, limits: { ...defaultLimits, steps: 7, usd: 0 } },
  });
});

test('no agent and no unit check are problems, each told once with what to write', () => {
  const resolved = resolveConfig({ file: {}, flags: {}, honor: false });
  expect(resolved.ok ? [] : resolved.problems.map(({ message }) => message)).toEqual([
    'agent: expected the command that starts the agent, found nothing; write agent: { command: [program, argument] } into pdlc.yaml, or give --agent COMMAND',
    'checks.unit: expected the command that runs the tests, found nothing; write checks: { unit: COMMAND } into pdlc.yaml (pdlc init proposes one), give --verify COMMAND, or run without proof with --honor',
  ]);
});

test('a name is no agent in this version, and the problem says what works', () => {
  const file = fileOf('agent: claude\nchecks: { unit: x }\nstages: { review: { evaluator: codex } }\n');
  const resolved = resolveConfig({ file, flags: {}, honor: false });
  expect(resolved.ok ? [] : resolved.problems.map(({ message }) => message)).toEqual([
    'agent: expected the command that starts the agent, found the name "claude", and this version knows no agent by name; write agent: { command: [program, argument] } into pdlc.yaml, or give --agent COMMAND',
    'stages.review.evaluator: expected the command that starts the agent, found the name "codex", and this version knows no agent by name; write evaluator: { command: [program, argument] }',
  ]);
});

test('with honor a run needs no checks', () => {
  expect(resolveConfig({ file: fileOf('agent: { command: [a] }\n'), flags: {}, honor: true })).toMatchObject({ ok: true, config: { checks: {} } });
});

test('a check that hides its exit code is warned about by name', () => {
  const resolved = resolveConfig({ file: fileOf('agent: { command: [a] }\nchecks: { unit: "npm test | tail" }\n'), flags: {}, honor: false });
  expect(resolved.ok && resolved.warnings).toEqual([
    'checks.unit: expected a command whose exit code tells pass from fail, found "npm test | tail": it pipes into another program, whose exit code is the only one that counts (without pipefail)',
  ]);
});

test.each([
  'npm test || true',
  'npm test || :',
  'npm test; true',
  'npm test ; exit 0',
  'npm test; echo done',
  'npm test\ntrue',
  'npm test | tail -5',
  'npm test &',
  'npm test |tee log',
])('%j hides its exit code', (run) => {
  expect(maskedExit(run)).not.toBeNull();
});

test.each([
  'npm test',
  'cd app && npm test',
  'cd app; npm test',
  'npm test -- -t "a | b"',
  "npm test -- -t 'x; true'",
  'bash -o pipefail -c "npm test | tail"',
  'set -o pipefail; npm test | tail',
  'npm test || exit 1',
  'true && npm test',
  'npm test 2>&1',
])('%j is not warned about', (run) => {
  expect(maskedExit(run)).toBeNull();
});
