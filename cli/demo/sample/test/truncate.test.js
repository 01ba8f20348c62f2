import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncate } from '../src/index.js';

test('a short text stays as it is', () => {
  assert.equal(truncate('fox', 3), 'fox');
});

test('a long text ends in an ellipsis and leaves no space before it', () => {
  assert.equal(truncate('The quick brown fox', 11), 'The quick…');
});
