// Guarantees of pdlc.yaml's schema: short and long forms mean the same, and what is not known is refused by name.
import { expect, test } from 'vitest';
import { type ConfigFile, checkTimeoutMs, configFileSchema, stageSettings } from '../../../machines/contract/config.js';
import { defaultLimits } from '../../../machines/contract/limits.js';

const agent = { command: ['agent'], env: {}, pass: [] };
const chosen = { agent, evaluator: agent, limits: defaultLimits };
const parse = (value: unknown): ConfigFile => configFileSchema.parse(value);

test('an empty file is a configuration', () => {
  expect(parse({})).toEqual({});
});

test('a command is its text, or its text with a time limit and an environment', () => {
  const { checks, setup } = parse({ setup: ' npm ci ', checks: { unit: { run: 'npm test', timeout: '2m', env: { CI: '1' } } } });
  expect(setup).toEqual({ run: 'npm ci', timeout: checkTimeoutMs, env: {} });
  expect(checks?.unit).toEqual({ run: 'npm test', timeout: 120_000, env: { CI: '1' } });
});

test('an agent is a name or an argument vector', () => {
  expect(parse({ agent: 'claude' }).agent).toEqual({ name: 'claude' });
  expect(parse({ agent: { command: ['my agent', '--x'] } }).agent).toEqual({ command: ['my agent', '--x'], env: {}, pass: [] });
});

test('a seal is its paths, and asks about dependencies unless told otherwise', () => {
  expect(parse({ seal: ['ci/**'] }).seal).toEqual({ paths: ['ci/**'], dependencies: 'ask' });
  expect(parse({ seal: { dependencies: 'refuse' } }).seal).toEqual({ paths: [], dependencies: 'refuse' });
});

test.each<[string, object, [string, string]]>([
  ['an unknown key', { agents: 'claude' }, ['', 'agents']],
  ['an unknown key inside', { limits: { step: 4 } }, ['limits', 'step']],
  ['an unknown stage', { stages: { ship: {} } }, ['stages', 'ship']],
  ['an unknown key of a stage', { stages: { tdd: { checks: {} } } }, ['stages.tdd', 'checks']],
])('%s is refused by name', (_name, value, [path, key]) => {
  const issue = configFileSchema.safeParse(value).error?.issues[0];
  expect([issue?.path.join('.'), JSON.stringify(issue)]).toEqual([expect.stringContaining(path), expect.stringContaining(key)]);
});

test.each([
  ['an empty command', { checks: { unit: '  ' } }],
  ['a check with a name that is no word', { checks: { 'Unit Test': 'x' } }],
  ['a check name that could be a second run', { checks: { 'unit base': 'x' } }],
  ['an agent without a program', { agent: { command: [] } }],
  ['an agent with an empty program', { agent: { command: [''] } }],
  ['an environment name with an equals sign', { checks: { unit: { run: 'x', env: { 'A=B': '1' } } } }],
  ['a number as an environment value', { checks: { unit: { run: 'x', env: { A: 1 } } } }],
  ['a time limit that is none', { setup: { run: 'x', timeout: 'soon' } }],
  ['steps of one stage', { stages: { tdd: { limits: { steps: 1 } } } }],
  ['a list', []],
  ['nothing', null],
])('%s is refused', (_name, value) => {
  expect(configFileSchema.safeParse(value).success).toBe(false);
});

test("a stage's own settings win over the general ones, key by key", () => {
  const file = parse({ model: 'general', limits: { attempts: 5 }, stages: { review: { model: 'own', limits: { attempts: 0, wall: '1m' } } } });
  expect(stageSettings(file, 'review', chosen)).toEqual({
    agent,
    evaluator: agent,
    model: 'own',
    attempts: 0,
    usdPerAttempt: 5,
    wall: 60_000,
    silence: 330_000,
  });
  expect(stageSettings(file, 'tdd', chosen)).toMatchObject({ model: 'general', attempts: 2 });
  expect(stageSettings({}, 'tdd', chosen).model).toBeNull();
});
