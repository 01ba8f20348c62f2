// Guarantees of the engine's own name: it is the package's version, and only a newer format keeps it from a run.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { engine, engineProblem } from '../../../machines/contract/engine.js';

test('the version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(engine.version).toBe(version);
});

test('only a newer format is a problem, and it is told with both versions', () => {
  const { version, format } = engine;
  for (const writer of [undefined, engine, { version: '0.0.1', format: format - 1 }, { version: '99.0.0', format }]) expect(engineProblem(writer)).toBe(null);
  expect(engineProblem({ version: '99.0.0', format: format + 1 })).toContain(`(this is pdlc ${version}), found format ${format + 1}, written by pdlc 99.0.0`);
});
