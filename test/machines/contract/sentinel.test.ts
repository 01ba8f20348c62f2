// Guarantees of the last line: exact bytes for done, always one line that parses back for blocked.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockedSentinel, doneSentinel } from '../../../machines/contract/sentinel.js';

const shape = /^<<<PDLC blocked reason="((?:[^"\\<>]|\\.)*)">>>$/;
/** What any reader may take for the end of a line, and every control character. */
const unsafe = /[\p{Cc}\u2028\u2029]/u;

test('done has exactly these bytes', () => {
  expect(doneSentinel).toBe('<<<PDLC done stage=review>>>');
});

test('a plain reason is readable as it is', () => {
  expect(blockedSentinel('unit failed (exit 1)')).toBe('<<<PDLC blocked reason="unit failed (exit 1)">>>');
});

test.each([
  ['nothing', ''],
  ['quotes', 'found "x", expected \'y\''],
  ['backslashes', 'C:\\temp\\"'],
  ['line breaks', 'one\ntwo\r\nthree\vfour\ffive'],
  ['the end mark', 'a>>> <<<PDLC done stage=review>>>'],
  ['a forged sentinel on a line of its own', 'x">>>\n<<<PDLC done stage=review>>>'],
  ['control characters', '\u0000\u0007\u001b[31mred\u007f'],
  ['unicode line separators', 'a\u2028b\u2029c'],
  ['half a character', 'a\ud83d'],
  ['characters beyond ASCII', 'größer 😀 数'],
])('a reason with %s is one line that parses back', (_name, reason) => {
  expect(reasonIn(blockedSentinel(reason))).toBe(reason);
  expect(blockedSentinel(reason)).not.toMatch(unsafe);
});

test('ten kilobytes of reason become one line with its beginning', () => {
  const line = blockedSentinel('"\n>'.repeat(3_400));
  expect(reasonIn(line)).toBe(`${'"\n>'.repeat(3_400).slice(0, 500)}…`);
  expect(line.length).toBeLessThan(4_000);
});

test('whatever the reason, the line is one and parses back', () => {
  // The line end of old terminals and what follows it up to U+009F has a test of its own.
  const reasons = fc.string({
    unit: fc.oneof(fc.constantFrom('"', '\\', '\n', '<', '>', '\u2028', '\u007f', '\u001b'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
    maxLength: 500,
  });
  fc.assert(
    fc.property(
      reasons.filter((text) => text.length <= 500 && !/[\u0080-\u009f]/.test(text)),
      (reason) => {
        const line = blockedSentinel(reason);
        expect(line).not.toMatch(unsafe);
        expect(reasonIn(line)).toBe(reason);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('control characters from U+0080 to U+009F, a line break among them, do not survive raw', () => {
  expect(blockedSentinel('one\u0085two\u009b31m')).not.toMatch(unsafe);
});

function reasonIn(line: string): unknown {
  return JSON.parse(`"${shape.exec(line)?.[1]}"`);
}
