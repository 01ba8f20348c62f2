// Guarantees of finding JSON objects in free text: it finds what is there, counts each once, and neither throws nor takes for ever on garbage.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonObjectsIn } from '../../../activities/agents/json-objects.js';

const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
const prose = fc.string().map((text) => text.replaceAll(/["{}\\]/g, ' '));

describe('what is found', () => {
  test.each<[string, object[]]>([
    ['', []],
    ['null', []],
    ['[1, 2]', []],
    ['no object { here }', []],
    ['{"a":1}', [{ a: 1 }]],
    ['{ }', [{}]],
    ['```json\n{\n  "a": {"b": 2}\n}\n```', [{ a: { b: 2 } }]],
    ['{"a":"} { \\" }"} and {"b":2}', [{ a: '} { " }' }, { b: 2 }]],
    ['function f() { return {"a":1}; }', [{ a: 1 }]],
    ['{"a":1', []],
    ['{"a":1,}', []],
    ["{'a':1}", []],
    ['{{"a":1}', [{ a: 1 }]],
    ['it said "{" and then {"a":1}', [{ a: 1 }]],
  ])('%j', (text, expected) => {
    expect(jsonObjectsIn(text)).toEqual(expected);
  });
});

test('any text gives objects or nothing, and never throws', () => {
  const garbage = fc.array(fc.constantFrom('{', '}', '"', '\\', ':', ',', '[', ']', 'a', '1', ' ', '\n')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), garbage), (text) => jsonObjectsIn(text).every((found) => typeof found === 'object' && found !== null)),
  );
});

test('every object between prose is found, as it is and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(prose, object), { maxLength: 6 }), prose, (parts, end) => {
      const text = `${parts.map(([words, value]) => words + JSON.stringify(value)).join('')}${end}`;
      expect(jsonObjectsIn(text)).toEqual(parts.map(([, value]) => JSON.parse(JSON.stringify(value))));
    }),
  );
});

test('a text that takes too long to search has no object, rather than some of them', () => {
  for (const flood of ['{"'.repeat(500_000), '{"a":'.repeat(200_000), '{"x}'.repeat(250_000), '{'.repeat(1_000_000)]) {
    expect(jsonObjectsIn(`${'{"commit":"x"}'}${flood.slice(100)}`).length).toBeLessThan(2);
  }
  expect(jsonObjectsIn(`{"a":1}${'{"'.repeat(490_000)}`)).toEqual([]);
});

test('only the end of a long text is searched', () => {
  expect(jsonObjectsIn(`{"early":1}${' '.repeat(1_000_000)}{"late":1}`)).toEqual([{ late: 1 }]);
});
