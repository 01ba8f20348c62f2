// Guarantees of feature ids: what is accepted is safe as a branch, a folder and a workflow id, whatever is refused says why.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { branchOf, featureIdLengthMax, featureIdProblem, featureIdSchema, workflowIdOf } from '../../../machines/contract/feature-id.js';

test.each(['F20261130-101500', 'F1', 'B20261130-101500', 'T20261130-101500-01-fix', 'login_v2', 'a.b', '1', 'x'.repeat(featureIdLengthMax)])(
  '%s is a feature id',
  (id) => {
    expect(featureIdProblem(id)).toBeNull();
    expect(featureIdSchema.parse(id)).toBe(id);
  },
);

test.each([
  ['', 'empty'],
  ['x'.repeat(featureIdLengthMax + 1), '101 characters'],
  ['-rf', 'begin with'],
  ['.git', 'begin with'],
  ['_relations', 'begin with'],
  ['a/b', 'only letters'],
  ['a\\b', 'only letters'],
  ['a b', 'only letters'],
  ['a\n', 'only letters'],
  ['a\u0000b', 'only letters'],
  ['naïve', 'only letters'],
  ['a@{1}', 'only letters'],
  ['a~1', 'only letters'],
  ['a..b', '".."'],
  ['a.', 'ends so'],
  ['a.lock', 'ends so'],
  ['a.LOCK', 'ends so'],
  ['a.json', 'state files'],
  ['a.history', 'state files'],
  ['a.history.jsonl', 'state files'],
])('%j is refused: %s', (id, why) => {
  expect(featureIdProblem(id)).toContain(why);
  expect(featureIdSchema.safeParse(id).success).toBe(false);
});

test('no accepted id leaves its folder or breaks its branch', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '1', '.', '-', '_', '/', '~') })), (id) => {
      if (featureIdProblem(id) !== null) return;
      expect(branchOf(id)).toMatch(/^pdlc\/[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9._-]*(?<!\.)$/);
    }),
  );
});

test('names are built from the id', () => {
  expect([branchOf('F1'), workflowIdOf('shop-1a2b', 'F1')]).toEqual(['pdlc/F1', 'pdlc/shop-1a2b/F1']);
});
