// Guarantees of reading an existing project's test-commands.yml.
import { expect, test } from 'vitest';
import { parseTestCommands } from '../../../activities/project/test-commands.js';

const command = (run: string) => ({ run, timeout: 600_000, env: {} });

test('its commands become checks, and an empty one is not used', () => {
  const text = 'unit: npm test   # runs all\ncoverage: " npm run coverage "\nlint: ""\ne2e:\n';
  expect(parseTestCommands(text, 'x.yml')).toEqual({ ok: true, file: { checks: { unit: command('npm test'), coverage: command('npm run coverage') } } });
});

test.each([
  ['unti: x\n', 'x.yml:1: unknown key "unti": expected one of unit, coverage, lint, e2e; did you mean "unit"?'],
  ['unit: npm test\nlint: true\n', 'x.yml:2: lint: expected text, found true'],
  ['unit: [npm, test]\n', 'x.yml:1: unit: expected text, found a list'],
  ['- npm test\n', 'x.yml:1: expected keys with values, found a list'],
  ['', 'x.yml:1: expected keys with values, found an empty file'],
])('%j is refused in words', (text, message) => {
  expect(parseTestCommands(text, 'x.yml')).toMatchObject({ ok: false, problems: [{ message }] });
});
