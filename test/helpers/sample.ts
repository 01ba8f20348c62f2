// Owns the sample project of the tests: a real repository with one green test, a design, pdlc.yaml and a feature's state, and a snapshot of all a user can see.
// Must never make a repository outside the folder it is given, or read git configuration of the machine.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { stateFilePath } from '../../machines/contract/state-file.js';
import { cleanEnv } from './temp.js';

/**
 * The sample to make in `dir`: argv of agent and evaluator, `env` for both (PDLC_TEST_LOG), `config` laid over the keys of pdlc.yaml.
 * The state file lies in the checkout; `commitState: false` leaves it out of the commit.
 */
export type SampleOptions = {
  dir: string;
  agent: string[];
  evaluator?: string[];
  env?: Record<string, string>;
  config?: Record<string, unknown>;
  featureId?: string;
  commitState?: boolean;
};

/** A sample: `base` is its only commit, `statePath` is relative to `dir`. */
export type Sample = { dir: string; featureId: string; base: string; statePath: string };

const designPath = 'docs/design/feature.md';

const files = {
  'package.json': '{ "name": "sample", "version": "1.0.0", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/add.js': 'export const add = (a, b) => a + b;\n',
  'test/add.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from '../src/add.js';

test('adds two numbers', () => assert.equal(add(1, 2), 3));
`,
  [designPath]: '# double\n\n`src/double.js` exports `double(number)`, which returns twice the number: `double(2)` is 4, `double(-3)` is -6.\n',
};

/** Makes the repository with one commit on main; its identity lies in its own configuration. Throws when git fails. */
export function makeSample(options: SampleOptions): Sample {
  const { dir, agent, evaluator = agentFixture('approve'), env = {}, config = {}, featureId = 'F1', commitState = true } = options;
  const settings = { agent: { command: agent, env }, evaluator: { command: evaluator, env }, checks: { unit: 'node --test' }, ...config };
  const statePath = stateFilePath(featureId);
  mkdirSync(dir, { recursive: true });
  const git = (...args: string[]) => gitIn(dir, args);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Someone');
  git('config', 'user.email', 'someone@example.org');
  for (const [path, text] of Object.entries({ ...files, 'pdlc.yaml': stringify(settings) })) put(join(dir, path), text);
  if (commitState) put(join(dir, statePath), stateOf(featureId));
  git('add', '-A');
  git('commit', '-q', '-m', 'base');
  if (!commitState) put(join(dir, statePath), stateOf(featureId));
  return { dir, featureId, base: git('rev-parse', 'HEAD'), statePath };
}

/** The command line of a scripted agent of test/fixtures/agents, by its name without ending. */
export function agentFixture(name: string, ...args: string[]): string[] {
  return [process.execPath, resolve(import.meta.dirname, '../fixtures/agents', `${name}.mjs`), ...args];
}

/**
 * Mode and digest of everything a user can see in a repository with a .git folder: checkout, index, refs, configuration, hooks, stash, reflogs.
 * Left out: objects, and the refs with their reflogs that the engine may write, refs/heads/pdlc/* and refs/pdlc/*.
 */
export function snapshotRepo(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(join(dir, path)).sort()) {
      const inner = path === '' ? name : `${path}/${name}`;
      const isFolder = lstatSync(join(dir, inner)).isDirectory();
      if (isFolder && isEngines(inner)) continue;
      found[inner] = digestOf(dir, inner);
      if (isFolder) visit(inner);
    }
  };
  visit('');
  return found;
}

function isEngines(path: string): boolean {
  return path === '.git/objects' || /^\.git\/(logs\/)?refs\/(heads\/)?pdlc$/.test(path);
}

function digestOf(dir: string, path: string): string {
  const full = join(dir, path);
  const facts = lstatSync(full);
  const content = facts.isDirectory() ? '' : facts.isSymbolicLink() ? readlinkSync(full) : readFileSync(full);
  // Packed refs of the engine are the engine's as well.
  const seen = path === '.git/packed-refs' ? content.toString().replace(/^\S+ refs\/(heads\/)?pdlc\/.*\n(\^.*\n)?/gm, '') : content;
  return `${facts.mode.toString(8)} ${createHash('sha256').update(seen).digest('hex').slice(0, 16)}`;
}

function stateOf(featureId: string): string {
  const at = '2026-01-01T00:00:00.000Z';
  const history = [{ stage: 'design', done_at: at, produced: [designPath] }];
  const state = { feature_id: featureId, feature_name: 'double', created_at: at, current_stage: 'design', history, next_step: 'pdlc-tdd' };
  return `${JSON.stringify(state, null, 2)}\n`;
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function gitIn(dir: string, args: string[]): string {
  return execFileSync('git', args, { cwd: dir, env: cleanEnv(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
