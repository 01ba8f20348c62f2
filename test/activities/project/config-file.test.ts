// Guarantees of reading pdlc.yaml: every mistake is told with its line, what was expected and what was found; nothing is accepted by accident.
import { expect, test } from 'vitest';
import { parseConfig } from '../../../activities/project/config-file.js';

const messages = (text: string): string[] => {
  const reading = parseConfig(text, 'pdlc.yaml');
  return reading.ok ? ['accepted'] : reading.problems.map(({ message }) => message);
};

test('a whole file yields commands in their long form and durations in ms', () => {
  const text = [
    'agent: { command: [claude, -p], pass: [API_KEY] }',
    'evaluator: other',
    'setup: npm ci',
    'checks:',
    '  unit: npm test',
    '  lint: { run: npm run lint, timeout: 90s, env: { CI: "1" } }',
    'seal: [fixtures/**]',
    'limits: { steps: 4, wall: 30m, silence: 0 }',
    'stages: { review: { model: big, limits: { attempts: 1 } } }',
  ].join('\n');
  expect(parseConfig(text, 'pdlc.yaml')).toEqual({
    ok: true,
    file: {
      agent: { command: ['claude', '-p'], env: {}, pass: ['API_KEY'] },
      evaluator: { name: 'other' },
      setup: { run: 'npm ci', timeout: 600_000, env: {} },
      checks: { unit: { run: 'npm test', timeout: 600_000, env: {} }, lint: { run: 'npm run lint', timeout: 90_000, env: { CI: '1' } } },
      seal: { paths: ['fixtures/**'], dependencies: 'ask' },
      limits: { steps: 4, wall: 1_800_000, silence: 0 },
      stages: { review: { model: 'big', limits: { attempts: 1 } } },
    },
  });
});

test.each([
  ['a byte-order mark', '\uFEFFlimits: { steps: 4 }\n'],
  ['CRLF', 'limits:\r\n  steps: 4\r\n'],
  ['JSON', '{"limits": {"steps": 4}}'],
  ['an anchor', 'limits: &a { steps: 4 }\n'],
  ['a trailing comma inside braces', 'limits: { steps: 4, }\n'],
])('%s is accepted', (_, text) => {
  expect(parseConfig(text, 'pdlc.yaml')).toEqual({ ok: true, file: { limits: { steps: 4 } } });
});

test.each([
  ['', 'pdlc.yaml:1: expected keys with values, found an empty file'],
  ['# nothing\n', 'pdlc.yaml:1: expected keys with values, found an empty file'],
  ['- a\n', 'pdlc.yaml:1: expected keys with values, found a list'],
  ['hello\n', 'pdlc.yaml:1: expected keys with values, found "hello"'],
  ['a: 1\na: 2\n', 'pdlc.yaml:2: expected every key once, found "a" again'],
  ['limits:\n\tsteps: 1\n', 'pdlc.yaml:2: expected spaces as indentation, found a tab'],
  ['checks:\n  unit: "npm test",\n', 'pdlc.yaml:2: expected the next key or value, found a comma; outside of [] and {} YAML needs none'],
  ['---\na: 1\n---\nb: 1\n', 'pdlc.yaml:3: expected one document, found a second one behind "---"'],
  ['a\0b', 'pdlc.yaml: expected UTF-8 text, found NUL characters as in UTF-16; save it as UTF-8'],
  [Buffer.from('\uFEFFlimits: 1', 'utf16le').toString(), 'pdlc.yaml: expected UTF-8 text, found NUL characters as in UTF-16; save it as UTF-8'],
  [Buffer.from([0x61, 0xff]).toString(), 'pdlc.yaml: expected UTF-8 text, found bytes that are not UTF-8; save it as UTF-8'],
  ['model: !!js/function x\n', 'pdlc.yaml:1: expected YAML, found: Unresolved tag: tag:yaml.org,2002:js/function'],
  ['model: *x\n', 'pdlc.yaml:1: expected YAML, found: Unresolved alias (the anchor must be set before the alias): x'],
  ['__proto__: {}\n', 'pdlc.yaml:1: unknown key "__proto__": expected one of agent, evaluator, model, setup, checks, seal, limits, stages'],
])('%j is refused in words', (text, message) => {
  expect(messages(text)).toEqual([message]);
});

test.each([
  [
    'model: x\n\nlimits:\n  stepz: 1\n',
    'pdlc.yaml:4: unknown key "limits.stepz": expected one of steps, attempts, usd, usdPerAttempt, tokens, wall, silence, deadline, wait; did you mean "steps"?',
  ],
  ['check: {}\n', 'pdlc.yaml:1: unknown key "check": expected one of agent, evaluator, model, setup, checks, seal, limits, stages; did you mean "checks"?'],
  ['xyzzy: 1\n', 'pdlc.yaml:1: unknown key "xyzzy": expected one of agent, evaluator, model, setup, checks, seal, limits, stages'],
  ['agent: { comand: [x], command: [x] }\n', 'pdlc.yaml:1: unknown key "agent.comand": expected one of command, env, pass; did you mean "command"?'],
  ['checks:\n  unit:\n    rum: x\n    run: x\n', 'pdlc.yaml:3: unknown key "checks.unit.rum": expected one of run, timeout, env; did you mean "run"?'],
  ['stages: { ship: {} }\n', 'pdlc.yaml:1: unknown key "stages.ship": expected one of tdd, implement, review'],
  ['limits:\n  steps: "4"\n', 'pdlc.yaml:2: limits.steps: expected a number, found "4"'],
  ['limits:\n  steps: 4,\n', 'pdlc.yaml:2: limits.steps: expected a number, found "4,"'],
  ['limits: { steps: -1 }\n', 'pdlc.yaml:1: limits.steps: expected at least 0, found -1'],
  ['limits: { steps: 1.5 }\n', 'pdlc.yaml:1: limits.steps: expected a whole number, found 1.5'],
  ['limits: { usd: .nan }\n', 'pdlc.yaml:1: limits.usd: expected a number, found NaN'],
  ['limits: { wall: 30 }\n', 'pdlc.yaml:1: limits.wall: expected a duration such as 30m, 5m30s or 24h, found 30'],
  ['limits: { wall: 30x }\n', 'pdlc.yaml:1: limits.wall: expected a duration such as 30m or 5m30s (at most 20d), found "30x"'],
  ['limits:\n', 'pdlc.yaml:1: limits: expected keys with values, found nothing'],
  ['agent: 3\n', 'pdlc.yaml:1: agent: expected keys with values or text, found 3'],
  ['agent: { command: [] }\n', 'pdlc.yaml:1: agent.command: expected something that is not empty, found an empty list'],
  ['agent:\n  command:\n    - a\n    - 2\n', 'pdlc.yaml:4: agent.command[1]: expected text, found 2'],
  ['checks: { unit: true }\n', 'pdlc.yaml:1: checks.unit: expected text or keys with values, found true'],
  ['checks: { unit: "" }\n', 'pdlc.yaml:1: checks.unit: expected something that is not empty, found ""'],
  ['checks: { unit: { run: x, timeout: soon } }\n', 'pdlc.yaml:1: checks.unit.timeout: expected a duration such as 30m or 5m30s (at most 20d), found "soon"'],
  ['checks: { Unit: x }\n', 'pdlc.yaml:1: checks: expected a name like /^[a-z][a-z0-9_-]{0,39}$/, found "Unit"'],
  ['seal: { dependencies: alow }\n', 'pdlc.yaml:1: seal.dependencies: expected one of "ask", "allow", "refuse", found "alow"; did you mean "allow"?'],
])('%j is refused with key, line, expected and found', (text, message) => {
  expect(messages(text).at(-1)).toBe(message);
});

test('a file of 10 MB is refused unread', () => {
  expect(messages('x'.repeat(10_000_000))).toEqual(['pdlc.yaml: expected at most 65536 bytes, found 10000000']);
});

test('every mistake of a file is told, each with its place', () => {
  const reading = parseConfig('modle: x\nlimits:\n  steps: x\n', 'pdlc.yaml');
  expect(reading.ok ? [] : reading.problems.map(({ path, line, column }) => ({ path, line, column }))).toEqual([
    { path: 'modle', line: 1, column: 1 },
    { path: 'limits.steps', line: 3, column: 3 },
  ]);
});

test.each([
  ['nested lists', '['.repeat(60_000)],
  ['nested braces', '{'.repeat(30_000)],
  ['nested dashes', '- '.repeat(30_000)],
])('%s are refused instead of hanging', (_, text) => {
  expect(messages(text)[0]).toMatch(/^pdlc\.yaml:\d+: expected YAML, found: /);
});

test('aliases that multiply are refused instead of expanded', () => {
  const names = 'abcdefghij'.split('');
  const text = names
    .map((name, index) => `${name}: &${name} [${Array.from({ length: 10 }, () => (index === 0 ? 'x' : `*${names[index - 1]}`)).join(', ')}]\n`)
    .join('');
  expect(messages(text)).toEqual(['pdlc.yaml:1: expected YAML, found: Excessive alias count indicates a resource exhaustion attack']);
});
