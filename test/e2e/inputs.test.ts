// What people type and what lies in their repositories: each mistake gets one clear message and changes nothing; each oddity that is no mistake works.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { cleanEnv, tempDir } from '../helpers/temp.js';
import { commit, git, openSample, write } from './repository.js';
import { openRig } from './support.js';

const rig = openRig();
const agent = agentFixture('good');
const done = { code: 0, last: '<<<PDLC done stage=review>>>' };

const typed = [
  { args: ['lop-run', 'F1'], says: ["unknown command 'lop-run'", '(Did you mean loop-run?)', 'usage: pdlc <command>'] },
  { args: ['loop-run', 'F1', '--max-step', '3'], says: ["unknown option '--max-step'", '(Did you mean --max-steps?)', 'usage: pdlc loop-run'] },
  { args: ['loop-run', 'F1', 'F2'], says: ['too many arguments', 'usage: pdlc loop-run'] },
  { args: ['loop-run'], says: ["missing required argument 'featureId'", 'usage: pdlc loop-run'] },
  { args: ['loop-run', 'F1', '--max-steps', '0'], says: ['expected a whole number from 1 to 999, found "0"', 'usage: pdlc loop-run'] },
  { args: ['loop-run', 'F1', '--max-steps', '-1'], says: ['expected a whole number from 1 to 999, found "-1"', 'usage: pdlc loop-run'] },
  { args: ['loop-run', 'F1', '--max-steps', 'x'], says: ['expected a whole number from 1 to 999, found "x"', 'usage: pdlc loop-run'] },
  { args: ['extend', 'F1'], says: ['extend: expected at least one limit, found none'] },
  { args: ['choose', 'F1', 'maybe'], says: ['expected allow or refuse, found "maybe"'] },
  { args: ['loop-run', '..'], says: ['feature id "..": it must begin with a letter or a digit'] },
  { args: ['loop-run', 'a/b'], says: ['feature id "a/b": only letters a-z'] },
  { args: ['loop-run', 'a\u001b[31m'], says: [String.raw`feature id "a\u001b[31m": only letters a-z`] },
  { args: ['loop-run', 'f'.repeat(300)], says: ['it has 300 characters, at most 100 are allowed'] },
];

test('what cannot be meant is refused with 64, the usage and the nearest right word, and starts nothing', async () => {
  const sample = openSample({ agent });
  const before = snapshotRepo(sample.dir);
  const ended = await Promise.all(typed.map(({ args }) => rig.pdlc(sample.dir, ...args)));
  expect(ended.map(({ code, stdout }) => ({ code, stdout }))).toEqual(typed.map(() => ({ code: 64, stdout: '' })));
  ended.forEach(({ stderr }, index) => {
    for (const text of typed[index]?.says ?? []) expect(stderr).toContain(text);
  });
  expect(snapshotRepo(sample.dir)).toEqual(before);
});

const unusable = [
  { what: 'no repository', make: () => tempDir('plain'), says: /expected .*git repository/ },
  { what: 'a repository without a commit', make: () => made('init', '-q'), says: /commit/ },
  { what: 'a bare repository', make: () => made('init', '-q', '--bare'), says: /bare/ },
  { what: 'a repository with submodules', make: withSubmodule, says: /submodule/ },
];

for (const { what, make, says } of unusable) {
  test.concurrent(`${what} is refused with one message`, async () => {
    const ended = await rig.pdlc(make(), 'loop-run', 'F1');
    expect(ended).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(says) });
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });
}

test.concurrent('a dirty checkout in the middle of a merge is fine and stays as it is', async () => {
  const sample = openSample({ agent, at: 'implement' });
  git(sample.dir, 'checkout', '-q', '-b', 'side');
  commit(sample.dir, { 'src/add.js': 'export const add = (a, b) => b + a;\n' });
  git(sample.dir, 'checkout', '-q', 'main');
  commit(sample.dir, { 'src/add.js': 'export const add = (...all) => all.reduce((a, b) => a + b);\n' });
  expect(() => git(sample.dir, 'merge', 'side')).toThrow();
  write(sample.dir, { 'staged.txt': 'staged\n', 'untracked.txt': 'untracked\n' });
  git(sample.dir, 'add', 'staged.txt');
  const before = snapshotRepo(sample.dir);
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject(done);
  expect(snapshotRepo(sample.dir)).toEqual(before);
});

test.concurrent('a detached HEAD in a folder with spaces, quotes, accents and a leading dash works', async () => {
  const sample = openSample({ agent, at: 'implement', name: `-it's a "café"` });
  git(sample.dir, 'checkout', '-q', '--detach');
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject(done);
  expect(await rig.pdlc(join(sample.dir, 'src'), 'status', 'F1')).toMatchObject({ code: 0, stdout: expect.stringContaining('review_done') });
});

test.concurrent('a shallow clone works', async () => {
  const sample = openSample({ agent, at: 'review' });
  commit(sample.dir, { 'src/more.js': 'export const more = 1;\n' });
  const clone = join(sample.around, 'clone');
  git(sample.around, 'clone', '-q', '--depth', '1', `file://${encodeURI(sample.dir)}`, clone);
  expect(await rig.pdlc(clone, 'loop-run', 'F1')).toMatchObject(done);
  expect(git(clone, 'rev-parse', '--is-shallow-repository')).toBe('true');
});

test.concurrent('a linked worktree and a link to the repository are the same project', async () => {
  const sample = openSample({ agent, at: 'review' });
  git(sample.dir, 'worktree', 'add', '-q', '--detach', join(sample.around, 'linked'));
  symlinkSync(sample.dir, join(sample.around, 'link'));
  expect(await rig.pdlc(join(sample.around, 'link'), 'loop-run', 'F1')).toMatchObject(done);
  expect(await rig.pdlc(join(sample.around, 'linked'), 'loop-run', 'F1')).toMatchObject(done);
  expect(sample.starts()).toEqual(['evaluator review']);
});

test.concurrent('a configuration with an unknown key is refused with the key, its line and the nearest right one', async () => {
  const sample = openSample({ agent });
  commit(sample.dir, { 'pdlc.yaml': 'agent: { command: [node] }\nchecks:\n  unit: node --test\nlimit:\n  steps: 3\n' });
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({
    code: 64,
    stderr: 'pdlc.yaml:4: unknown key "limit": expected one of agent, evaluator, model, setup, checks, seal, limits, stages; did you mean "limits"?\n',
  });
});

test.concurrent('a server that cannot be reached is 69 and named', async () => {
  const sample = openSample({ agent });
  const elsewhere = openRig({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(await elsewhere.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 69, stdout: '', stderr: expect.stringContaining('127.0.0.1:1') });
});

function made(...args: string[]): string {
  const dir = tempDir('odd');
  execFileSync('git', args, { cwd: dir, env: cleanEnv() });
  return dir;
}

function withSubmodule(): string {
  const { dir, around } = openSample({ agent });
  mkdirSync(join(around, 'inner'));
  git(join(around, 'inner'), 'init', '-q');
  git(join(around, 'inner'), '-c', 'user.name=S', '-c', 'user.email=s@example.org', 'commit', '-q', '--allow-empty', '-m', 'inner');
  git(dir, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(around, 'inner'), 'inner');
  git(dir, 'commit', '-q', '-m', 'with a submodule');
  return dir;
}
