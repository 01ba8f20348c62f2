// The publish activity: writes facts to the ledger and, at the end of a stage, the state files into a commit of their own and the user's branch.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishInput, PublishResult } from '../machines/contract/activities.js';
import { PdlcError } from '../machines/contract/failure.js';
import type { LedgerEntry } from '../machines/contract/ledger.js';
import { type FeatureState, historyFilePath, nextOf, parseState, stateAfter, stateFileBytesMax, stateFilePath } from '../machines/contract/state-file.js';
import { tipRef } from './git/engine-repo.js';
import { commitFiles, publishBranch } from './git/publish.js';
import { findRepository, readBlob } from './git/read.js';
import { setEngineRef } from './git/refs.js';
import { type Host, pathsOf } from './host/host.js';
import type { RunPaths } from './host/paths.js';
import { appendEntries } from './ledger/append.js';
import { readLedger } from './ledger/read.js';
import { historyRecords, renderHistory } from './project/history-file.js';

/** Largest history file that is carried on, in bytes. */
const historyBytesMax = 16 * 1_048_576;

/** Publishes. Safe to repeat because entries are skipped by number, commits are the same by content and date, and refs move by compare-and-swap. */
export async function publish(host: Host, input: PublishInput): Promise<PublishResult> {
  const { runKey, entries, settle } = input;
  const paths = pathsOf(host, input);
  await appendEntries({ file: paths.ledger, entries, runKey });
  if (!settle) return { head: null, moved: false, nextStep: null };
  const before = await stateAt(host, { input, paths, commit: settle.from });
  const after = stateAfter(before, settle.record);
  const head = await commitState(host, { input, paths, state: after, tip: settle.tip });
  await moveBranches(host, { input, paths, head, from: settle.from });
  return readBack(host, { input, paths, head, before });
}

type Place = { input: PublishInput; paths: RunPaths };

async function stateAt(host: Host, { input, paths, commit }: Place & { commit: string }): Promise<FeatureState> {
  const { run } = input;
  const blob = await readBlob({ git: host.git, gitDir: paths.engine, commit, path: stateFilePath(run.featureId), bytesMax: stateFileBytesMax });
  const text = blob.kind === 'found' ? blob.bytes.toString() : await readFile(join(run.files, 'state.json'), 'utf8');
  const reading = parseState(text);
  if (reading.ok) return reading.state;
  throw new PdlcError('invalid_input', `${stateFilePath(run.featureId)} at ${commit}: expected ${reading.expected}, found ${reading.found}`);
}

async function commitState(host: Host, { input, paths, state, tip }: Place & { state: FeatureState; tip: string }): Promise<string> {
  const { run, runKey, at, settle } = input;
  const history = `${await earlierHistory(host, { input, paths })}${renderHistory(historyRecords(await entriesOf(paths), run.config.checks.unit?.run ?? ''))}`;
  const files = [
    { path: stateFilePath(run.featureId), text: `${JSON.stringify(state, null, 2)}\n` },
    { path: historyFilePath(run.featureId), text: history },
  ];
  const outcome = settle?.record.ok ? 'passed' : 'stopped';
  const trailers = { 'Pdlc-Base': run.base, 'Pdlc-Run': runKey, 'Pdlc-Stage': at?.stage ?? '', 'Pdlc-Step': String(at?.step ?? 0) };
  const atMs = Date.parse(settle?.record.at ?? '');
  return commitFiles({
    git: host.git,
    engineDir: paths.engine,
    parent: tip,
    files,
    message: `pdlc(${run.featureId}): ${at?.stage} ${outcome}`,
    trailers,
    atMs,
  });
}

async function entriesOf(paths: RunPaths): Promise<LedgerEntry[]> {
  const ledger = await readLedger(paths.ledger);
  if (ledger.ok) return ledger.entries;
  throw new PdlcError('ledger_broken', `${paths.ledger}: ${ledger.problem}`);
}

async function earlierHistory(host: Host, { input, paths }: Place): Promise<string> {
  const { tip, featureId } = input.run;
  const blob = await readBlob({ git: host.git, gitDir: paths.engine, commit: tip, path: historyFilePath(featureId), bytesMax: historyBytesMax });
  return blob.kind === 'found' ? blob.bytes.toString() : '';
}

async function moveBranches(host: Host, { input, paths, head, from }: Place & { head: string; from: string }): Promise<void> {
  const { run } = input;
  const repo = await findRepository(run.repo, host.git);
  const expected = from === run.tip ? run.branchTip : from;
  await publishBranch({ git: host.git, repo, engineDir: paths.engine, branch: run.branch, base: run.base, commit: head, expected });
  await setEngineRef(paths.engine, tipRef, head);
}

async function readBack(host: Host, { input, paths, head, before }: Place & { head: string; before: FeatureState }): Promise<PublishResult> {
  const written = await stateAt(host, { input, paths, commit: head });
  const key = (state: FeatureState): string => JSON.stringify([state.current_stage, state.next_step, state.last_phase_result?.at]);
  const next = nextOf({ ok: true, state: written });
  const nextStep = next.kind === 'done' ? 'pdlc-ship' : (written.next_step ?? null);
  return { head, moved: key(written) !== key(before), nextStep };
}
