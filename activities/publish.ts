// The publish activity: writes facts to the ledger and, at the end of a stage, the state files into a commit of their own and the user's branch.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishInput, PublishResult } from '../machines/contract/activities.js';
import { PdlcError } from '../machines/contract/failure.js';
import type { LedgerEntry } from '../machines/contract/ledger.js';
import { type FeatureState, historyFilePath, nextOf, parseState, stateAfter, stateFilePath } from '../machines/contract/state-file.js';
import { refreshTree } from './git/agent-tree.js';
import { tipRef } from './git/engine-repo.js';
import { commitFiles, publishBranch } from './git/publish.js';
import { readTexts } from './git/read.js';
import { setEngineRef } from './git/refs.js';
import type { Act } from './host/act.js';
import { type Host, pathsOf } from './host/host.js';
import type { RunPaths } from './host/paths.js';
import { readLedger } from './ledger/read.js';
import { appendOrRebuild } from './ledger/rebuild.js';
import { historyRecords, renderHistory } from './project/history-file.js';

/** How a state file says that nothing is left to do here. */
const shipStep = 'pdlc-ship';
/** Most bytes of state and history together that are carried on. */
const historyBytesMax = 16 * 1_048_576;

/** Publishes. Safe to repeat because entries are skipped by number, commits are the same by content and date, and refs move by compare-and-swap. */
export async function publish(host: Host, input: PublishInput, { past }: Pick<Act, 'past'>): Promise<PublishResult> {
  const { run, runKey, entries, settle } = input;
  const paths = pathsOf(host, input);
  const repaired = await appendOrRebuild({ file: paths.ledger, entries, runKey }, past);
  const said = repaired === null ? {} : { repaired };
  if (!settle) return { head: null, moved: false, nextStep: null, treeAtHead: false, ...said };
  const place = { input, paths };
  const [written, earlier] = await readBefore(host, place, settle.from);
  const before = parse(written ?? (await readFile(join(run.files, 'state.json'), 'utf8')), place);
  const head = await commitState(host, { ...place, state: stateAfter(before, settle.record), tip: settle.tip, earlier: earlier ?? '' });
  const [back] = await Promise.all([readBack(host, { ...place, head, before }), moveBranches(host, { ...place, head, from: settle.from })]);
  return { ...said, head, ...back, treeAtHead: back.nextStep !== shipStep && (await takeTree(host, { ...place, head })) };
}

type Place = { input: PublishInput; paths: RunPaths };

/** The state as the stage began with it, and the history that the run began with; null for what is not there. */
async function readBefore({ git }: Host, { input: { run }, paths }: Place, from: string): Promise<(string | null)[]> {
  const files = [
    { commit: from, path: stateFilePath(run.featureId) },
    { commit: run.tip, path: historyFilePath(run.featureId) },
  ];
  return readTexts({ git, gitDir: paths.engine, files, bytesMax: historyBytesMax });
}

function parse(text: string, { input }: Place): FeatureState {
  const reading = parseState(text);
  if (reading.ok) return reading.state;
  throw new PdlcError('invalid_input', `${stateFilePath(input.run.featureId)}: expected ${reading.expected}, found ${reading.found}`);
}

async function commitState(host: Host, { input, paths, state, tip, earlier }: Place & { state: FeatureState; tip: string; earlier: string }): Promise<string> {
  const { run, runKey, at, settle } = input;
  const history = `${earlier}${renderHistory(historyRecords(await entriesOf(paths), run.config.checks.unit?.run ?? ''))}`;
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

async function moveBranches(host: Host, { input, paths, head, from }: Place & { head: string; from: string }): Promise<void> {
  const { run } = input;
  const expected = from === run.tip ? run.branchTip : from;
  await publishBranch({ git: host.git, repo: { commonDir: run.gitDir }, engineDir: paths.engine, branch: run.branch, base: run.base, commit: head, expected });
  await setEngineRef(paths.engine, tipRef, head);
}

/** Takes the tree of a stage that passed to the new tip, `head`. One that cannot be taken there is for the next stage to prepare, and to report. */
async function takeTree(host: Host, { input, paths, head }: Place & { head: string }): Promise<boolean> {
  const { run, at, settle } = input;
  if (!settle?.record.ok || !at) return false;
  const request = { git: host.git, runDir: paths.dir, engineDir: paths.engine, branch: run.branch, commit: head };
  return refreshTree({ ...request, from: settle.tip, label: `${at.stage}-${at.step}` }).then(
    () => true,
    () => false,
  );
}

async function readBack(
  host: Host,
  { input, paths, head, before }: Place & { head: string; before: FeatureState },
): Promise<Pick<PublishResult, 'moved' | 'nextStep'>> {
  const files = [{ commit: head, path: stateFilePath(input.run.featureId) }];
  const [text] = await readTexts({ git: host.git, gitDir: paths.engine, files, bytesMax: historyBytesMax });
  const written = parse(text ?? '', { input, paths });
  const key = (state: FeatureState): string => JSON.stringify([state.current_stage, state.next_step, state.last_phase_result?.at]);
  const next = nextOf({ ok: true, state: written });
  const nextStep = next.kind === 'done' ? shipStep : (written.next_step ?? null);
  return { moved: key(written) !== key(before), nextStep };
}
