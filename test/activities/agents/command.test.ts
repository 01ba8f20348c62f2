// Guarantees of the generic agent: what it is told, and that its output is read without trust: unknown stays unknown, two cards are none.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../../activities/agents/adapter.js';
import { commandAgent } from '../../../activities/agents/command.js';

const { start, read } = commandAgent;
const line = (value: object): string => JSON.stringify({ type: 'result', ...value });
const usageOf = (value: string): unknown => read(`{"type":"result",${value}}`).usage;
const known = { in: 1, out: 2, cacheRead: 0, cacheWrite: 0 };

describe('the start', () => {
  const request: AgentRequest = {
    ...{ command: { command: ['agent', '--x', 'a b'], env: {}, pass: [] }, role: 'worker', featureId: 'F1', stage: 'tdd' },
    ...{ step: 1, attempt: 2, model: null, commit: null },
  };

  test('argv is taken as it is and variables say who is asked for what', () => {
    const env = { PDLC_ROLE: 'worker', PDLC_FEATURE_ID: 'F1', PDLC_STAGE: 'tdd', PDLC_STEP: '1', PDLC_ATTEMPT: '2', PDLC_AUTONOMOUS: '1' };
    expect(start(request)).toEqual({ argv: ['agent', '--x', 'a b'], env });
    expect(start({ ...request, role: 'evaluator', model: 'm', commit: 'abc' }).env).toEqual({
      ...env,
      PDLC_ROLE: 'evaluator',
      PDLC_MODEL: 'm',
      PDLC_COMMIT: 'abc',
    });
  });
});

describe('usage', () => {
  test.each<[string, number | null]>([
    ['"usd":0', 0],
    ['"usd":1.25', 1.25],
    ['"usd":1e300', 1e300],
    ['"usd":1e999', null],
    ['"usd":null', null],
    ['"usd":-1', null],
    ['"usd":"1.25"', null],
    ['"usd":"NaN"', null],
    ['"usd":[1]', null],
    ['"usd":true', null],
    ['"text":"no cost is told"', null],
  ])('money of %s', (value, usd) => {
    expect(usageOf(value)).toEqual({ usd, tokens: null });
  });

  test.each<[string, object | null]>([
    ['{"in":1,"out":2}', known],
    ['{"in":1,"out":2,"cacheRead":3,"cacheWrite":4}', { in: 1, out: 2, cacheRead: 3, cacheWrite: 4 }],
    ['{"in":1,"out":2,"other":9}', known],
    ['{"in":1}', null],
    ['{"in":-1,"out":2}', null],
    ['{"in":1.5,"out":2}', null],
    ['{"in":"1","out":2}', null],
    ['{"in":1,"out":1e30}', null],
    ['{"in":1,"out":2,"cacheRead":null}', null],
    ['null', null],
    ['3', null],
  ])('tokens of %s', (tokens, expected) => {
    expect(usageOf(`"tokens":${tokens}`)).toEqual({ usd: null, tokens: expected });
  });

  test('a line that is no JSON leaves everything unknown', () => {
    expect(read('{"type":"result","usd":NaN}').usage).toEqual({ usd: null, tokens: null });
  });
});

describe('text and card', () => {
  const card = { commit: 'c', findings: [] };
  test.each<[string, string, unknown]>([
    ['the card of the result line', line({ card }), card],
    ['the only object in the result’s text', line({ text: `so: ${JSON.stringify(card)}` }), card],
    ['the only object of the output', `I think\n${JSON.stringify(card)}\n`, card],
    ['nothing of what was printed before a result line', `${JSON.stringify(card)}\n${line({ text: 'done' })}`, undefined],
    ['nothing when there are two', `${JSON.stringify(card)} ${JSON.stringify(card)}`, undefined],
    ['nothing when the text of the result has two', line({ text: `{"a":1} ${JSON.stringify(card)}` }), undefined],
    ['nothing', '', undefined],
  ])('%s', (_, output, expected) => {
    expect(read(output).card).toEqual(expected);
  });

  test('the text is the result’s, else the whole output', () => {
    expect([read(`noise\n${line({ text: 'done' })}\n\n`).text, read(`noise\n${line({})}`).text, read('just words\n').text]).toEqual([
      'done',
      '',
      'just words\n',
    ]);
  });
});

test('any output is read without a throw, and unknown usage is null', () => {
  const results = fc.record(
    { type: fc.constant('result'), text: fc.anything(), usd: fc.anything(), tokens: fc.anything(), card: fc.jsonValue() },
    { requiredKeys: ['type'] },
  );
  const lines = results.map((value) => JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), lines, fc.json()), (output) => {
      const { text, usage } = read(output);
      expect(typeof text).toBe('string');
      expect(usage.usd === null || (Number.isFinite(usage.usd) && usage.usd >= 0)).toBe(true);
      expect(usage.tokens === null || Object.values(usage.tokens).every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true);
    }),
  );
});

test('two objects are never a card, wherever they stand', () => {
  const object = fc
    .dictionary(
      fc.string().filter((key) => key !== 'type'),
      fc.jsonValue({ maxDepth: 1 }),
      { noNullPrototype: true },
    )
    .map((value) => JSON.stringify(value));
  const gap = fc.constantFrom(' ', '\n', ' and ', '\n```\n');
  fc.assert(
    fc.property(object, gap, object, (one, between, two) => {
      const text = `${one}${between}${two}`;
      expect([read(text).card, read(line({ text })).card]).toEqual([undefined, undefined]);
    }),
  );
});
