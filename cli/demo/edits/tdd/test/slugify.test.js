import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/index.js';

test('words are in lower case with hyphens between them', () => {
  assert.equal(slugify('Hello World'), 'hello-world');
});

test('a run of other characters is one hyphen', () => {
  assert.equal(slugify('Node 20: what is new'), 'node-20-what-is-new');
});

test('a letter loses its accent, never itself', () => {
  assert.equal(slugify('Crème Brûlée'), 'creme-brulee');
});

test('a slug neither begins nor ends with a hyphen', () => {
  assert.equal(slugify('  --Sale!--  '), 'sale');
  assert.equal(slugify('?!'), '');
});

test('a slug is its own slug', () => {
  assert.equal(slugify(slugify('Ten Small Steps')), 'ten-small-steps');
});

test('anything but a string is refused', () => {
  for (const value of [undefined, null, 7, ['a']]) assert.throws(() => slugify(value), TypeError);
});
