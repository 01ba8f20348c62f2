// Text for people: everything that binds a run is shown, and nothing of others reaches the terminal raw.
import { expect, test } from 'vitest';
import { limitsText, moneyText, plain, seconds, statusLines, stepLines } from '../../cli/render.js';
import { defaultLimits } from '../../machines/contract/limits.js';
import { emptyReport, type StepReport } from '../../machines/contract/report.js';

const step: StepReport = {
  step: 1,
  stage: 'tdd',
  ok: false,
  attempts: 2,
  checks: { unit: 'unit failed (exit 1)' },
  reason: 'unit failed',
  commit: 'a'.repeat(40),
  durationMs: 61_000,
  usage: { usd: 0, tokens: null },
};

test('a step shows its result, attempts, time, checks and commit, and below them why', () => {
  expect(stepLines(step)).toEqual(['  1. tdd: stopped (2 attempts, 1m1s, unit failed (exit 1)) · aaaaaaaaaa', '     unit failed']);
});

test('all limits are in one line, without a cap where there is none', () => {
  expect(limitsText(defaultLimits)).toBe('steps 4, attempts 2, USD 20 (5 an attempt), tokens no cap, wall 30m, silence 5m30s, deadline 1d, wait 6h');
});

test('money that is partly unknown is said to be', () => {
  const tokens = { in: 1, out: 2, cacheRead: 0, cacheWrite: 0 };
  expect(moneyText({ ...emptyReport, usage: { usd: null, usdKnown: 1.5, tokens: null, tokensKnown: tokens } })).toBe(
    'USD 1.50 of 20 (part of the spend is unknown), 3 tokens known',
  );
});

test('a waiting run shows its reason, its kept tree and the ways out', () => {
  const lines = statusLines(
    { ...emptyReport, featureId: 'F1', workflowId: 'pdlc/p/F1', state: 'blocked', reason: 'unit failed', tree: '/kept', steps: [step] },
    { uiUrl: 'http://ui', inTheWay: null },
  );
  expect(lines.join('\n')).toMatch(/F1: blocked\n {2}why: unit failed[\s\S]*kept tree: \/kept\n {2}http:\/\/ui\n {2}next: cd \/kept\n {8}pdlc resume F1/);
});

test('escape sequences, control characters and direction overrides do not survive', () => {
  expect(plain('\u001b[31mred\u001b[0m \u001b]0;title\u0007 a\u202eb\r\n\u0000c')).toBe('red  a b c');
});

test.each([
  [900, '0.9s'],
  [59_940, '59.9s'],
  [60_000, '1m'],
  [3_661_400, '1h1m1s'],
])('%i ms are %s', (totalMs, text) => expect(seconds(totalMs)).toBe(text));
