// Guarantees of the report: the same fold wherever it is made, nothing counted twice, nothing unknown added as zero.
import { expect, test } from 'vitest';
import type { Capture } from '../../../machines/contract/attempt.js';
import { type Fact, type LedgerEntry, ledgerEntrySchema } from '../../../machines/contract/ledger.js';
import { defaultLimits } from '../../../machines/contract/limits.js';
import { applyEntry, emptyReport, type Report, reportOf } from '../../../machines/contract/report.js';
import { outcomes, verdicts } from '../facts.js';

const tokens = { in: 10, out: 5, cacheRead: 0, cacheWrite: 0 };
const place = { stage: 'tdd', step: 1 } as const;
const unit = { kind: 'failed', name: 'unit', exitCode: 1, durationMs: 1, tail: '', tests: 2 } as const;
const capture: Capture = { commit: 'c1', tree: 't1', changed: true, files: [], filesTotal: 0, omitted: [], agentCommits: 0, stateTamper: false };
const started: Fact = {
  ...{ kind: 'run.started', featureId: 'F1', workflowId: 'pdlc/p/F1', repo: 'repo', branch: 'pdlc/F1', base: 'b0', tip: 'b0' },
  ...{ design: 'd', limits: defaultLimits, configSource: 'pdlc.yaml', honor: false },
};
const dispatched: Fact = { kind: 'stage.dispatched', ...place, entry: 'work' };
const ended = (usd: number | null): Fact => {
  const usage = { usd, tokens: usd === null ? null : tokens };
  return { kind: 'attempt.ended', ...place, attempt: 1, role: 'worker', outcome: { ...outcomes.finished, usage }, swept: 0 };
};
const judged: Fact = {
  ...{ kind: 'verdict.reached', ...place, attempt: 1, commit: 'c1', durationMs: 1 },
  verdict: { ...verdicts.pass, checks: [unit], usage: [{ usd: 2, tokens: null }] },
};
const whole: Fact[] = [
  started,
  dispatched,
  { kind: 'ground.proved', ...place, ground: { kind: 'proved', checks: [] }, tree: 'tree', notices: ['the base wins'] },
  ended(3),
  { kind: 'work.captured', ...place, attempt: 1, author: 'agent', capture },
  judged,
  { kind: 'stage.settled', ...place, ok: true, reason: null, attempts: 1, durationMs: 9 },
  { kind: 'branch.moved', ...place, head: 'h1' },
];

test('an agent or an evaluator whose act failed leaves the spend unknown; any other act does not', () => {
  const spentAfter = (fact: Fact): number | null => reportOf(numbered([...whole, fact])).usage.usd;
  const failed = (stage: 'implement' | 'review', act: string): Fact => ({ kind: 'infrastructure.failed', stage, step: 2, act, reason: 'disk full' });
  expect(['agent', 'judge', 'capture'].map((act) => spentAfter(failed('implement', act)))).toEqual([null, 5, 5]);
  expect(spentAfter(failed('review', 'judge'))).toBeNull();
});

test('every entry fits the schema of the ledger', () => {
  for (const entry of numbered(whole)) expect(ledgerEntrySchema.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
});

test('a report tells stage, checks, commit, spend and branch of a step', () => {
  const report = reported(...whole);
  expect(report).toMatchObject({ featureId: 'F1', state: 'preparing', stage: 'tdd', attempt: 1, stepsUsed: 1, maxSteps: 4, head: 'h1', tree: 'tree', seq: 8 });
  expect(report.steps).toEqual([
    {
      ...place,
      ok: true,
      attempts: 1,
      checks: { unit: 'unit is red as it must be (exit 1)' },
      reason: null,
      commit: 'c1',
      durationMs: 9,
      usage: { usd: 5, tokens: null },
    },
  ]);
  expect(report.usage).toEqual({ usd: 5, usdKnown: 5, tokens: null, tokensKnown: tokens });
});

test('one process of unknown cost makes the sum unknown, and the known part stays', () => {
  expect(reported(started, dispatched, ended(3), ended(null)).usage).toEqual({ usd: null, usdKnown: 3, tokens: null, tokensKnown: tokens });
});

test('an entry that was seen already changes nothing', () => {
  const entries = numbered(whole);
  expect([...entries, ...entries].reduce(applyEntry, emptyReport)).toEqual(reportOf(entries));
});

test('a report that is kept live is the one that is rebuilt', () => {
  const live = numbered(whole).reduce((report, entry) => applyEntry(JSON.parse(JSON.stringify(report)), entry), emptyReport);
  expect(live).toEqual(reported(...whole));
});

test('a fold leaves the report that it came from as it was', () => {
  const before = JSON.stringify(emptyReport);
  reported(...whole);
  expect(JSON.stringify(emptyReport)).toBe(before);
});

test('waiting shows its reason until the next stage begins', () => {
  const waiting: Fact = { kind: 'run.waiting', state: 'limited', reason: 'usage limit', until: '2026-11-30T11:00:00.000Z' };
  expect(reported(started, dispatched, waiting)).toMatchObject({ state: 'limited', reason: 'usage limit', until: waiting.until });
  const again: Fact = { kind: 'stage.dispatched', stage: 'tdd', step: 2, entry: 'judge' };
  const report = reported(started, dispatched, waiting, again);
  expect(report).toMatchObject({ state: 'preparing', reason: null, until: null, stepsUsed: 2 });
  expect(report.steps.map(({ step, ok }) => [step, ok])).toEqual([
    [1, null],
    [2, null],
  ]);
});

test('new limits hold, and the end is told', () => {
  const raised: Fact = { kind: 'limits.changed', limits: { ...defaultLimits, steps: 6 } };
  expect(reported(started, raised)).toMatchObject({ maxSteps: 6, limits: { steps: 6 } });
  expect(reported(started, { kind: 'run.ended', state: 'aborted', reason: 'enough' })).toMatchObject({ state: 'aborted', reason: 'enough', until: null });
});

test('notices are told once, and only the last twenty commands are kept', () => {
  const proved: Fact = { kind: 'ground.proved', ...place, ground: { kind: 'skipped' }, tree: 'tree', notices: ['the base wins', 'no lint'] };
  expect(reported(...whole, proved).notices).toEqual(['the base wins', 'no lint']);
  const acts = Array.from({ length: 25 }, (_, id): Fact => ({ kind: 'person.acted', id: String(id), command: 'note', accepted: true, detail: '' }));
  const { commands } = reported(started, ...acts);
  expect([commands.length, commands[0]?.id, commands.at(-1)?.id]).toEqual([20, '5', '24']);
});

function numbered(facts: readonly Fact[]): LedgerEntry[] {
  return facts.map((fact, index) => ({ ...fact, seq: index + 1, at: '2026-11-30T10:15:00.000Z' }) as LedgerEntry); // a Fact is an entry without exactly these two fields
}

function reported(...facts: Fact[]): Report {
  return reportOf(numbered(facts));
}
