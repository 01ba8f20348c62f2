// Proves that the house rules bite: each measure finds a small text that breaks it.
import { expect, test } from 'vitest';
import { forbiddenImports, importCycles } from './imports.js';
import { isEffect, isImpure } from './purity.js';
import { bareExports, findNodes, hasHeader, parseSource, percentile, type Source, saysRepeatable } from './source.js';

const lines = (...texts: string[]): string => `${texts.join('\n')}\n`;
const found = (path: string, text: string): Source => parseSource(path, text);

test.each([
  ['machines/stage.ts', 'node:fs'],
  ['machines/contract/card.ts', 'xstate'],
  ['workflows/live.ts', '../activities/index.js'],
  ['workflows/live.ts', '@temporalio/workflow-extra'],
  ['activities/judge.ts', '../machines/stage.js'],
  ['worker/stack/up.ts', '../../activities/process/stop.js'],
  ['cli/up.ts', '../worker/stack/server.js'],
  ['cli/up.ts', '../workflows/index.js'],
])('%s may not import %s, be it a value, a type, a re-export or late', (path, target) => {
  for (const text of [`import '${target}';`, `import type { A } from '${target}';`, `export { a } from '${target}';`, `void import('${target}');`]) {
    expect(forbiddenImports([found(path, text)])).toHaveLength(1);
  }
});

test.each([
  ['machines/stage.ts', './contract/card.js'],
  ['workflows/live.ts', '@temporalio/workflow/lib/x'],
  ['activities/judge.ts', 'node:fs'],
  ['worker/stack/up.ts', '../../activities/process/identity.js'],
  ['worker/main.ts', '../activities/index.js'],
  ['cli/up.ts', '../worker/stack/index.js'],
])('%s may import %s', (path, target) => {
  expect(forbiddenImports([found(path, `import '${target}';`)])).toEqual([]);
});

test('a cycle over three files is named by its files', () => {
  const ring = [found('cli/a.ts', "import './b.js';"), found('cli/b.ts', "import './c.js';"), found('cli/c.ts', "import './a.js';")];
  expect(importCycles(ring)).toEqual(['cli/a.ts → cli/b.ts → cli/c.ts → cli/a.ts']);
  expect(importCycles(ring.slice(0, 2))).toEqual([]);
});

test('functions are measured from their first to their last line, with their parameters', () => {
  const text = lines(
    '// x',
    'class A {',
    '  async b(',
    '    c: number, d = 1,',
    '    ...e: string[]',
    '  ): Promise<void> {',
    '  }',
    '}',
    'const f = (g: number) => g;',
  );
  expect(found('cli/a.ts', text).functions).toEqual([
    { line: 3, lines: 5, params: 3, block: true, suite: false },
    { line: 9, lines: 1, params: 1, block: false, suite: false },
  ]);
});

test('an export without a comment right above it is bare, a type taken from a value is not', () => {
  const text = lines(
    '/** Told. */',
    'export const a = 1, b = 2;',
    '/** Too far. */',
    '',
    'export function c() {}',
    'export type A = typeof a;',
    'export type B = z.infer<typeof b>;',
  );
  expect(bareExports(found('cli/a.ts', text))).toEqual(['cli/a.ts:5 c', 'cli/a.ts:6 A']);
});

test.each([
  [lines('// one', 'a();'), true],
  [lines('#!/usr/bin/env node', '// one', '// two', 'a();'), true],
  [lines('a();', '// one'), false],
  [lines('// 1', '// 2', '// 3', '// 4', '// 5', 'a();'), false],
])('a header is 1 to 4 comment lines at the top: %j', (text, expected) => {
  expect(hasHeader(found('cli/a.ts', text))).toBe(expected);
});

test('an activity that never says why repeating it is safe is found', () => {
  const text = 'export const judge = async () => {};';
  expect(saysRepeatable(found('activities/judge.ts', text))).toBe(false);
  expect(saysRepeatable(found('activities/judge.ts', `// Safe to repeat because it only reads.\n${text}`))).toBe(true);
  expect(saysRepeatable(found('activities/git/git.ts', text))).toBe(true);
});

test.each(['Date.now()', 'Math.random()', 'new Date()', 'process.pid', 'setTimeout(f, 1)'])('%s is impure', (text) => {
  expect(findNodes([found('machines/a.ts', text)], isImpure)).not.toEqual([]);
});

test.each(['a({ invoke: { src } })', 'a({ after: { 5: b } })', "a({ 'invoke': b })", 'createActor(m)'])('%s is an effect', (text) => {
  expect(findNodes([found('machines/a.ts', text)], isEffect)).not.toEqual([]);
});

test('percentiles go by upper nearest rank', () => {
  const ten = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
  expect([percentile(ten, 0.5), percentile(ten, 0.9), percentile(ten, 1), percentile([], 0.5)]).toEqual([5, 9, 10, 0]);
});
