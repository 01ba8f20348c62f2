// A run for tests of judging: a real engine repository in temp folders, candidates written straight into it, and a judge without a server.
// Must never make a folder outside the run's temp root.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureEngine } from '../../../activities/git/engine-repo.js';
import { findRepository } from '../../../activities/git/read.js';
import type { Act } from '../../../activities/host/act.js';
import { environmentFile } from '../../../activities/host/environment.js';
import { type Host, pathsOf } from '../../../activities/host/host.js';
import type { RunPaths } from '../../../activities/host/paths.js';
import { judge } from '../../../activities/judge.js';
import type { CheckPlace } from '../../../activities/oracle/check.js';
import { withSlot } from '../../../activities/oracle/slot.js';
import { detach } from '../../../activities/process/detach.js';
import type { JudgeInput } from '../../../machines/contract/activities.js';
import type { Capture } from '../../../machines/contract/attempt.js';
import type { Command, Config } from '../../../machines/contract/config.js';
import { defaultLimits } from '../../../machines/contract/limits.js';
import type { RunInput } from '../../../machines/contract/run-input.js';
import type { Stage } from '../../../machines/contract/stage.js';
import type { Verdict } from '../../../machines/contract/verdict.js';
import { cleanEnv } from '../../helpers/temp.js';
import { freshDir, git, makeRepo, put } from '../git/scene.js';

/** One run on a host; `base` is its only verified commit, `caller` the environment that it was started in. */
export type Run = { host: Host; run: RunInput; runKey: string; paths: RunPaths; base: string };

/** Content of a path in a candidate: text, text with git's mode, or null for "taken away". */
export type Files = Record<string, string | { text: string; mode: string } | null>;

/** A command of the configuration; `seconds` is its time limit. */
export const command = (run: string, more: Partial<Command> = {}): Command => ({ run, timeout: 20_000, env: {}, ...more });

/** Runs every `test/*.test.sh` and counts them as TAP does: quick, and red by the tests themselves. */
export const unit = command('n=0; bad=0; for t in test/*.test.sh; do [ -e "$t" ] || continue; n=$((n+1)); sh "$t" || bad=1; done; echo "1..$n"; exit $bad');

/** A project with one function, one green test, a fixture and configuration that decides. */
export const project = {
  'package.json': '{ "name": "p", "version": "1.0.0", "scripts": { "test": "x" }, "dependencies": { "a": "1", "b": "2" } }\n',
  'package-lock.json': '{ "lockfileVersion": 3 }\n',
  'vitest.config.ts': 'export default {};\n',
  'src/add.sh': 'add() { echo $(($1 + $2)); }\n',
  'test/add.test.sh': '. ./src/add.sh\n[ "$(add 1 2)" = 3 ]\n',
  'test/fixtures/data é 1.txt': 'data\n',
};
/** What a good tdd stage adds to it. */
export const redFiles = { 'src/twice.sh': 'twice() { return 1; }\n', 'test/twice.test.sh': '. ./src/twice.sh\n[ "$(twice 2)" = 4 ]\n' };
/** What a good implement stage then changes. */
export const greenFiles = { 'src/twice.sh': 'twice() { echo $((2 * $1)); }\n' };

const agent = { command: ['/bin/sh', '-c', 'cat >/dev/null'], env: {}, pass: [] };
const stage = { agent, evaluator: agent, model: null, attempts: 2, usdPerAttempt: 5, wall: 20_000, silence: 20_000 };

/** A configuration with the quick unit check, changed as asked; `evaluator` is a shell script for all stages. */
export function configOf({ evaluator, env = {}, ...change }: Partial<Config> & { evaluator?: string; env?: Record<string, string> } = {}): Config {
  const settings = evaluator === undefined ? stage : { ...stage, evaluator: { command: ['/bin/sh', '-c', evaluator], env, pass: [] } };
  const stages = { tdd: settings, implement: settings, review: settings };
  return { setup: null, checks: { unit }, seal: { paths: [], dependencies: 'ask' }, limits: defaultLimits, stages, ...change };
}

/** A run on a repository of these files; runs of one `home` and repository share their project. */
export async function makeRun(change: { config?: Config; files?: Record<string, string>; repo?: string; home?: string; runKey?: string } = {}): Promise<Run> {
  const { config = configOf(), files = project, home = freshDir('home "é"'), runKey = 'run-1' } = change;
  const repo = await findRepository(change.repo ?? makeRepo(files), git);
  const host: Host = { home, hostId: 'host-1', git, detach, graceMs: 200 };
  const base = repo.head;
  const inputs = freshDir('inputs');
  const run: RunInput = {
    ...{
      featureId: 'F1',
      project: repo.project,
      hostId: host.hostId,
      repo: repo.top,
      gitDir: repo.commonDir,
      branch: 'pdlc/F1',
      base,
      tip: base,
      branchTip: null,
      saveTipAs: null,
    },
    ...{
      startStage: 'tdd',
      entry: 'work',
      design: { path: 'design.md', digest: 'd' },
      config,
      configSource: 'test',
      honor: false,
      files: inputs,
      heartbeatMs: 5_000,
    },
  };
  put(inputs, { design: 'A function twice.\n', [environmentFile]: JSON.stringify({ base: cleanEnv(), passed: { SECRET_KEY: 'hush' } }) });
  const paths = pathsOf(host, { run, runKey });
  mkdirSync(paths.dir, { recursive: true });
  await ensureEngine({ git, repo, base, tip: base, cacheDir: paths.bases, runDir: paths.dir });
  return { host, run, runKey, paths, base };
}

let acts = 0;

/** An act of its own that nobody cancels, unless a signal is given. */
export const actOf = (change: Partial<Act> = {}): Act => ({
  id: `act-${++acts}`,
  signal: new AbortController().signal,
  beat: () => {},
  past: async () => null,
  ...change,
});

/** Commits files on top of a commit, as a capture would. */
export function candidateOn({ paths }: Run, parent: string, files: Files): Capture {
  const index = join(freshDir('index'), 'index');
  const env = { ...cleanEnv(), GIT_DIR: paths.engine, GIT_INDEX_FILE: index, GIT_AUTHOR_DATE: '1700000000 +0000', GIT_COMMITTER_DATE: '1700000000 +0000' };
  const plumb = (args: string[], input = ''): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] }).trim();
  plumb(['read-tree', parent]);
  const lines = Object.entries(files).map(([path, content]) => {
    if (content === null) return `0 ${'0'.repeat(40)}\t${path}\0`;
    const { text, mode } = typeof content === 'string' ? { text: content, mode: '100644' } : content;
    return `${mode} ${plumb(['hash-object', '-w', '--stdin'], text)}\t${path}\0`;
  });
  plumb(['update-index', '-z', '--index-info'], lines.join(''));
  const tree = plumb(['write-tree']);
  const commit = plumb(['commit-tree', tree, '-p', parent, '-m', 'candidate']);
  const names = Object.keys(files);
  return { commit, tree, changed: names.length > 0, files: names, filesTotal: names.length, omitted: [], agentCommits: 0, stateTamper: false };
}

/** Judges a candidate of a stage entered at `tip` (the base unless given). */
export function judgeAs(stage: Stage, run: Run, input: Partial<JudgeInput> & { candidate: Capture; act?: Act }): Promise<Verdict> {
  const { act = actOf(), ...change } = input;
  const tip = change.tip ?? run.base;
  const fixed = { run: run.run, runKey: run.runKey, at: { stage, step: 1, attempt: 1, tries: 0 } };
  return judge(run.host, { ...fixed, tip, seal: tip, verified: null, previous: null, allowDependencies: false, ...change }, act);
}

/** Uses the run's room slot as a check or setup does. */
export function withPlace<T>({ host, run, paths }: Run, use: (place: CheckPlace) => Promise<T>, act = actOf()): Promise<T> {
  return withSlot(paths, act, (slot) => use({ host, act, paths, slot, files: run.files }));
}

/** The verdict in one line: kind, gate, and its reason if it has one. */
export const lineOf = (verdict: Verdict): string => `${verdict.kind} at ${verdict.gate}${'reason' in verdict ? `: ${verdict.reason}` : ''}`;

/** A command that appends a line to a file outside of every room when it runs, and how often it has. */
export function counter(): { run: string; count: () => number } {
  const dir = freshDir('count');
  // One file per run: nothing has to be appended to or locked.
  return { run: `mktemp '${dir}/run.XXXXXX' >/dev/null`, count: () => readdirSync(dir).length };
}

/** Writes a file into a fresh folder and returns its path. */
export function textFile(text: string): string {
  const file = join(freshDir('text'), 'text');
  writeFileSync(file, text);
  return file;
}
