// Guarantees of reading a package.json: scripts and tool settings decide, dependencies are a person's choice, the rest is open, garbage decides.
import { describe, expect, test } from 'vitest';
import { manifestChanges } from '../../../activities/oracle/manifest.js';

const before = {
  name: 'p',
  version: '1.0.0',
  type: 'module',
  scripts: { test: 'x', lint: 'y' },
  dependencies: { a: '1', b: '2' },
  jest: { bail: 0 },
  files: ['a'],
};
const changed = (after: object) => manifestChanges(JSON.stringify(before), JSON.stringify(after));

describe('what a change of one key means', () => {
  test.each([
    ['scripts', { test: 'true', lint: 'y' }, 'deciding'],
    ['type', 'commonjs', 'deciding'],
    ['jest', { bail: 1 }, 'deciding'],
    ['vitest', {}, 'deciding'],
    ['mocha', { grep: 'none' }, 'deciding'],
    ['eslintConfig', { rules: {} }, 'deciding'],
    ['dependencies', { a: '1' }, 'dependencies'],
    ['devDependencies', { c: '1' }, 'dependencies'],
    ['overrides', { a: '2' }, 'dependencies'],
    ['workspaces', ['x'], 'dependencies'],
    ['packageManager', 'npm@11', 'dependencies'],
  ] as const)('%s', (key, value, kind) => {
    expect(changed({ ...before, [key]: value })).toEqual({ deciding: [], dependencies: [], [kind]: [key] });
  });

  test.each(['name', 'version', 'description', 'files', 'exports', 'main', 'bin'])('%s is open', (key) => {
    expect(changed({ ...before, [key]: 'changed' })).toEqual({ deciding: [], dependencies: [] });
  });

  test('a key that is taken away counts like one that is changed', () => {
    const { scripts: _, dependencies: __, ...rest } = before;
    expect(changed(rest)).toEqual({ deciding: ['scripts'], dependencies: ['dependencies'] });
  });
});

test('the order of keys and of dependencies means nothing', () => {
  const { name, ...rest } = before;
  expect(changed({ ...rest, dependencies: { b: '2', a: '1' }, name })).toEqual({ deciding: [], dependencies: [] });
});

test('the order within settings may decide', () => {
  expect(manifestChanges('{"jest":{"a":1,"b":2}}', '{"jest":{"b":2,"a":1}}').deciding).toEqual(['jest']);
});

test('spacing alone is no change', () => {
  expect(manifestChanges(JSON.stringify(before), JSON.stringify(before, null, 4))).toEqual({ deciding: [], dependencies: [] });
});

describe('a manifest that cannot be read decides as a whole', () => {
  test.each(['', '{', '[]', 'null', '"text"', '\uFEFF{}', '// comment\n{}'])('%j', (text) => {
    const whole = { deciding: ['the whole file'], dependencies: [] };
    expect([manifestChanges('{}', text), manifestChanges(text, '{}'), manifestChanges(null, text)]).toEqual([whole, whole, whole]);
    expect(manifestChanges(text, text)).toEqual({ deciding: [], dependencies: [] });
  });
});

test('a new or deleted manifest is judged by the keys that come or go', () => {
  expect(manifestChanges(null, '{"name":"x"}')).toEqual({ deciding: [], dependencies: [] });
  expect(manifestChanges(null, '{"scripts":{},"dependencies":{}}')).toEqual({ deciding: ['scripts'], dependencies: ['dependencies'] });
  expect(manifestChanges(JSON.stringify(before), null).deciding).toEqual(['scripts', 'jest', 'type']);
});
