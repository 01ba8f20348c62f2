// Guarantees of publishing: the state files are a commit of their own, the user's branch moves only from where the run left it, and what was written is read back.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { capture } from '../../activities/capture.js';
import { ensureTree } from '../../activities/git/agent-tree.js';
import { readLedger } from '../../activities/ledger/read.js';
import { publish as publishIn } from '../../activities/publish.js';
import type { PublishInput } from '../../machines/contract/activities.js';
import type { LedgerEntry } from '../../machines/contract/ledger.js';
import { type FeatureState, historyFilePath, type StageRecord, stateFilePath } from '../../machines/contract/state-file.js';
import { snapshotRepo } from '../helpers/sample.js';
import { put, shellGit } from './git/scene.js';
import { actOf, candidateOn, makeRun, type Run, redFiles } from './oracle/run.js';

const at = '2026-01-02T00:00:00.000Z';
const place = { stage: 'tdd', step: 1, attempt: 1, tries: 0 } as const;
const state = { feature_id: 'F1', current_stage: 'design', next_step: 'pdlc-tdd', history: [] };
const record: StageRecord = { stage: 'tdd', ok: true, reason: null, checks: { red_verified: true }, produced: ['test/twice.test.sh'], at };
const dispatched = (seq: number): LedgerEntry => ({ kind: 'stage.dispatched', seq, at, stage: 'tdd', step: seq, entry: 'work' });

async function ready(): Promise<Run> {
  const run = await makeRun();
  put(run.run.files, { 'state.json': JSON.stringify(state) });
  return run;
}
const input = ({ run, runKey }: Run, change: Partial<PublishInput> = {}): PublishInput => ({
  run,
  runKey,
  at: place,
  entries: [dispatched(1)],
  settle: null,
  ...change,
});
const publish = (host: Run['host'], asked: PublishInput) => publishIn(host, asked, actOf());
const stateIn = ({ run }: Run, commit: string): FeatureState => JSON.parse(shellGit(run.repo, ['show', `${commit}:${stateFilePath('F1')}`]));
const historyIn = ({ run }: Run): string => shellGit(run.repo, ['show', `pdlc/F1:${historyFilePath('F1')}`]);
const branchOf = ({ run }: Run): string => shellGit(run.repo, ['rev-parse', 'pdlc/F1']);

test('without the end of a stage only the ledger grows, each entry once', async () => {
  const run = await ready();
  const before = snapshotRepo(run.run.repo);
  expect(await publish(run.host, input(run))).toEqual({ head: null, moved: false, nextStep: null, treeAtHead: false });
  await publish(run.host, input(run, { entries: [dispatched(1), dispatched(2)] }));
  const ledger = await readLedger(run.paths.ledger, run.runKey);
  expect([ledger.ok, ledger.entries.map(({ seq }) => seq), snapshotRepo(run.run.repo)]).toEqual([true, [1, 2], before]);
});

describe('the end of a stage', () => {
  test('that passed is two commits on the branch: the work, then the state files; the checkout is as before', async () => {
    const run = await ready();
    const before = snapshotRepo(run.run.repo);
    const { commit } = candidateOn(run, run.base, redFiles);
    const ask = input(run, { settle: { record, tip: commit, from: run.base } });
    const published = await publish(run.host, ask);
    expect(published).toEqual({ head: branchOf(run), moved: true, nextStep: 'pdlc-implement', treeAtHead: false });
    expect(shellGit(run.run.repo, ['log', '--format=%s', `${run.base}..pdlc/F1`])).toBe('pdlc(F1): tdd passed\ncandidate');
    expect(stateIn(run, 'pdlc/F1')).toMatchObject({
      current_stage: 'tdd',
      next_step: 'pdlc-implement',
      last_phase_result: { ok: true, advanced_to: 'implement' },
    });
    expect(snapshotRepo(run.run.repo)).toEqual(before);
    expect(await publish(run.host, ask)).toEqual(published);
  });

  test('that passed takes the tree to the new tip for the next stage, also when it is repeated; one that failed leaves it to the person', async () => {
    const run = await ready();
    const { host, paths, base } = run;
    const tree = await ensureTree({ git: host.git, runDir: paths.dir, engineDir: paths.engine, branch: run.run.branch, commit: base });
    put(tree, redFiles);
    const stopped = await publish(host, input(run, { settle: { record: { ...record, ok: false, reason: 'unit passed' }, tip: base, from: base } }));
    expect([stopped.treeAtHead, existsSync(join(tree, stateFilePath('F1')))]).toEqual([false, false]);
    const { commit } = await capture(host, { run: run.run, runKey: run.runKey, at: place, author: 'agent', parent: base, tip: base, atMs: 0 });
    const ask = input(run, { settle: { record, tip: commit, from: stopped.head ?? '' } });
    for (const _again of [1, 2]) {
      const { head, treeAtHead } = await publish(host, ask);
      expect([treeAtHead, shellGit(tree, ['rev-parse', 'HEAD']), shellGit(tree, ['status', '--porcelain'])]).toEqual([true, head, '']);
    }
    expect(readFileSync(join(tree, stateFilePath('F1')), 'utf8')).toContain('pdlc-implement');
  });

  test('that failed keeps the verified tip and says why', async () => {
    const run = await ready();
    const settle = { record: { ...record, ok: false, reason: 'unit passed' }, tip: run.base, from: run.base };
    expect(await publish(run.host, input(run, { settle }))).toMatchObject({ moved: true, nextStep: 'pdlc-tdd' });
    expect(shellGit(run.run.repo, ['log', '--format=%s', `${run.base}..pdlc/F1`])).toBe('pdlc(F1): tdd stopped');
    expect(stateIn(run, 'pdlc/F1')).toMatchObject({ current_stage: 'design', last_phase_result: { ok: false, blocked_reason: 'unit passed' } });
  });

  test('goes on from the state that the stage before wrote', async () => {
    const run = await ready();
    const first = await publish(run.host, input(run, { settle: { record, tip: candidateOn(run, run.base, redFiles).commit, from: run.base } }));
    const from = first.head ?? '';
    const next = await publish(
      run.host,
      input(run, { settle: { record: { ...record, stage: 'implement' }, tip: candidateOn(run, from, { 'src/x.sh': 'x' }).commit, from } }),
    );
    expect(next).toMatchObject({ moved: true, nextStep: 'pdlc-review' });
    expect(stateIn(run, 'pdlc/F1').history).toMatchObject([{ stage: 'tdd' }, { stage: 'implement' }]);
  });

  test('with a branch that somebody moved is refused, and theirs stays', async () => {
    const run = await ready();
    shellGit(run.run.repo, ['branch', 'pdlc/F1']);
    const settle = { record, tip: candidateOn(run, run.base, redFiles).commit, from: run.base };
    await expect(publish(run.host, input(run, { settle }))).rejects.toMatchObject({ kind: 'branch_moved' });
    expect(branchOf(run)).toBe(run.base);
  });

  test('with a state file that cannot be read is refused by name', async () => {
    const run = await ready();
    put(run.run.files, { 'state.json': '[]' });
    const settle = { record, tip: run.base, from: run.base };
    await expect(publish(run.host, input(run, { settle }))).rejects.toMatchObject({
      kind: 'invalid_input',
      message: expect.stringContaining('found an array'),
    });
  });

  test('finds a damaged ledger, writes it again from the run’s past and goes on as if nothing had been', async () => {
    const [whole, damaged] = [await ready(), await ready()];
    const entries = [dispatched(1), dispatched(2)];
    const end = ({ base }: Run) => ({ entries: entries.slice(1), settle: { record, tip: base, from: base } });
    for (const run of [whole, damaged]) await publish(run.host, input(run));
    put(damaged.paths.dir, { 'ledger.jsonl': '{"kind":"forged"}\n' });
    const { moved, nextStep } = await publish(whole.host, input(whole, end(whole)));
    const past = async () => ({ runKey: damaged.runKey, hostId: damaged.host.hostId, entries });
    const { repaired, ...published } = await publishIn(damaged.host, input(damaged, end(damaged)), actOf({ past }));
    const kept = `${damaged.paths.ledger}.damaged-1`;
    expect(repaired).toContain(kept);
    expect([readFileSync(kept, 'utf8'), readFileSync(damaged.paths.ledger, 'utf8')]).toEqual(['{"kind":"forged"}\n', readFileSync(whole.paths.ledger, 'utf8')]);
    expect(published).toMatchObject({ moved, nextStep });
    expect(historyIn(damaged)).toBe(historyIn(whole));
  });

  test('with a ledger that was changed by hand, and no past to write it from, is refused', async () => {
    const run = await ready();
    put(run.paths.dir, { 'ledger.jsonl': '{"kind":"forged"}\n' });
    const settle = { record, tip: run.base, from: run.base };
    await expect(publish(run.host, input(run, { entries: [], settle }))).rejects.toMatchObject({ kind: 'ledger_broken' });
    expect(join(run.paths.dir, 'ledger.jsonl')).toBe(run.paths.ledger);
  });
});
