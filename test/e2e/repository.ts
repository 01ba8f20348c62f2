// Owns the repositories of the end-to-end tests, as a user has them: a sample whose agents log their starts, and what is read and written there with git.
// Must never import the engine.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeSample, type Sample, type SampleOptions } from '../helpers/sample.js';
import { cleanEnv, tempDir } from '../helpers/temp.js';

/** One line of an agent's own log. */
export type AgentStart = { role: string; stage: string; step: string; attempt: string; pid: number };

/** A sample with a folder of its own around it: `log` holds the agents' lines, `starts` says which began (`worker tdd`), `prompts` what they read, and `open` ends the wait of slow agents. */
export type Repository = Sample & { around: string; log: () => AgentStart[]; starts: () => string[]; prompts: () => string[]; open: () => void };

/** All tests in one process: a third of the runner's time, and many runs share the processor here. */
const quickUnit = `node -e 'require("node:fs").readdirSync("test").map((name) => import("./test/" + name))'`;

/** A sample repository whose agents log their starts; `name` is its folder's, `at` the stage it begins with, the work before it done by hand. */
export function openSample(options: Omit<SampleOptions, 'dir'> & { name?: string; at?: 'implement' | 'review' }): Repository {
  const around = tempDir('repo');
  const file = join(around, 'agents.log');
  const gate = join(around, 'gate');
  const { name = 'sample', at, env, config, ...rest } = options;
  const sample = makeSample({
    ...rest,
    dir: join(around, name),
    config: { checks: { unit: quickUnit }, ...config },
    env: { PDLC_TEST_LOG: file, PDLC_TEST_GATE: gate, ...env },
  });
  if (at) sample.base = commit(sample.dir, { ...done[at], [sample.statePath]: stateText(sample, { next_step: `pdlc-${at}` }) });
  const log = () => readLines<AgentStart>(file);
  const starts = () => log().map(({ role, stage }) => `${role} ${stage}`);
  return { ...sample, around, log, starts, prompts: () => readLines<string>(`${file}.prompts`), open: () => writeFileSync(gate, '') };
}

/** Runs git in a repository and returns its trimmed stdout; throws when it fails. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env: cleanEnv(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Writes files, relative to a folder. */
export function write(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** Writes files and commits everything; returns the commit. */
export function commit(dir: string, files: Record<string, string>): string {
  write(dir, files);
  git(dir, 'add', '-A');
  git(dir, 'commit', '-q', '-m', 'by hand');
  return git(dir, 'rev-parse', 'HEAD');
}

/** The state file of a feature in the checkout with some keys changed, as text; `id` makes it the state of another feature. */
export function stateText({ dir, statePath }: Sample, change: Record<string, unknown>): string {
  return `${JSON.stringify({ ...JSON.parse(readFileSync(join(dir, statePath), 'utf8')), ...change }, null, 2)}\n`;
}

/** The state of a feature as its branch holds it. */
export function branchState(
  dir: string,
  id = 'F1',
): { next_step: string; last_phase_result: { stage: string; ok: boolean; blocked_reason: string | null; checks: Record<string, boolean> } } {
  return JSON.parse(git(dir, 'show', `pdlc/${id}:docs/.pdlc-state/${id}.json`));
}

/** What the sample's agents write when they work well: the red tests, and the code that turns them green. */
export const work = {
  test: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { double } from '../src/double.js';

test('doubles a number', () => assert.equal(double(2), 4));
`,
  stub: "export function double() {\n  throw new Error('not implemented');\n}\n",
  code: 'export const double = (number) => 2 * number;\n',
};

const red = { 'test/double.test.js': work.test, 'src/double.js': work.stub };
/** What is there when a sample begins at a stage. */
const done = { implement: red, review: { ...red, 'src/double.js': work.code } };

function readLines<T>(file: string): T[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
