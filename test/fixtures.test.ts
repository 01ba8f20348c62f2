// Proves that the scripted agents do to a plain checkout what their names say, and that a snapshot of a repository sees what a user would see.
// Must never need Temporal or the engine: what the fixtures rest on is tested elsewhere.
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blockingFindings, cardSchema } from '../machines/contract/card.js';
import { parseState } from '../machines/contract/state-file.js';
import { agentFixture, makeSample, snapshotRepo } from './helpers/sample.js';
import { cleanEnv, tempDir } from './helpers/temp.js';

const root = tempDir('fixtures');

const stages = ['tdd', 'implement', 'review'] as const;
type Stage = (typeof stages)[number];
type Ended = SpawnSyncReturns<Buffer>;

function sample(): string {
  return makeSample({ dir: mkdtempSync(join(root, 'repo ')), agent: agentFixture('good') }).dir;
}

function run(dir: string, stage: Stage, { name = 'good', args = [] as string[], role = 'worker', env = {} as Record<string, string> }): Ended {
  const [program = '', ...argv] = agentFixture(name, ...args);
  const about = { PDLC_STAGE: stage, PDLC_ROLE: role, PDLC_STEP: '1', PDLC_ATTEMPT: '1', PDLC_COMMIT: git(dir, 'rev-parse', 'HEAD') };
  return spawnSync(program, argv, { cwd: dir, input: 'the prompt', env: cleanEnv({ ...about, ...env }), maxBuffer: 100_000_000 });
}

function git(dir: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args], { cwd: dir, env: cleanEnv(), encoding: 'utf8' }).trim();
}

const changesIn = (dir: string): string[] => git(dir, 'status', '--porcelain', '-uall').split('\n').filter(Boolean);
const isGreen = (dir: string): boolean => spawnSync(process.execPath, ['--test'], { cwd: dir, env: cleanEnv() }).status === 0;
const codeOf = (dir: string): string => readFileSync(join(dir, 'src/double.js'), 'utf8');
const resultOf = ({ stdout }: Ended) => JSON.parse(stdout.toString().trimEnd().split('\n').at(-1) ?? '');

describe('a sample', () => {
  test('is one commit with a green test and a state file that names tdd', () => {
    const made = makeSample({ dir: join(root, 'plain'), agent: ['node', 'x.mjs'], env: { A: 'b' }, config: { limits: { steps: 1 } }, featureId: 'F7' });
    expect(git(made.dir, 'log', '--format=%H %an')).toBe(`${made.base} Someone`);
    expect(isGreen(made.dir)).toBe(true);
    expect(changesIn(made.dir)).toEqual([]);
    expect(parseState(readFileSync(join(made.dir, made.statePath), 'utf8'))).toMatchObject({ ok: true, state: { feature_id: 'F7', next_step: 'pdlc-tdd' } });
  });

  test('keeps its state file out of the commit when asked', () => {
    const { dir, statePath } = makeSample({ dir: join(root, 'loose state'), agent: ['node'], commitState: false });
    expect(changesIn(dir)).toEqual([`?? ${statePath}`]);
  });
});

describe('a snapshot', () => {
  test.each([
    ['a changed file', (dir: string) => appendFileSync(join(dir, 'src/add.js'), '\n')],
    ['a changed mode', (dir: string) => chmodSync(join(dir, 'src/add.js'), 0o755)],
    ['an untracked file', (dir: string) => writeFileSync(join(dir, 'new'), '')],
    ['a staged removal', (dir: string) => git(dir, 'rm', '-q', '--cached', 'src/add.js')],
    ['a branch', (dir: string) => git(dir, 'branch', 'other')],
    ['a branch named pdlc', (dir: string) => git(dir, 'branch', 'pdlc')],
    ['packed refs', (dir: string) => git(dir, 'pack-refs', '--all')],
    ['a setting', (dir: string) => git(dir, 'config', 'user.name', 'Other')],
    ['a hook', (dir: string) => writeFileSync(join(dir, '.git/hooks/pre-commit'), '')],
    ['a stash', (dir: string) => git(dir, 'update-ref', '-m', 'kept', '--create-reflog', 'refs/stash', 'HEAD')],
  ])('sees %s', (_, change) => {
    const dir = sample();
    const before = snapshotRepo(dir);
    change(dir);
    expect(snapshotRepo(dir)).not.toEqual(before);
  });

  test('does not see what the engine may write, loose or packed', () => {
    const dir = sample();
    git(dir, 'pack-refs', '--all');
    const before = snapshotRepo(dir);
    git(dir, 'update-ref', 'refs/heads/pdlc/F1', 'HEAD');
    git(dir, 'update-ref', 'refs/pdlc/saved/F1/x', 'HEAD');
    expect(snapshotRepo(dir)).toEqual(before);
    git(dir, 'pack-refs', '--all');
    git(dir, 'branch', '-q', '-D', 'pdlc/F1');
    expect(snapshotRepo(dir)).toEqual(before);
  });
});

describe('good', () => {
  test('is red after tdd, green after implement and after review, and tells its usage', () => {
    const dir = sample();
    for (const stage of stages) {
      expect(resultOf(run(dir, stage, {}))).toEqual({ type: 'result', text: `${stage}: done`, usd: 0.01, tokens: { in: 1_000, out: 100 } });
      expect(isGreen(dir)).toBe(stage !== 'tdd');
    }
  });

  test('logs one line per process, and tells no cost when it is to be unknown', () => {
    const dir = sample();
    const log = join(dir, '..', 'log');
    const env = { PDLC_TEST_LOG: log, PDLC_TEST_USD: 'unknown' };
    expect(resultOf(run(dir, 'tdd', { env }))).toEqual({ type: 'result', text: 'tdd: done' });
    run(dir, 'tdd', { name: 'quit', env });
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const same = { role: 'worker', stage: 'tdd', step: 1, attempt: 1, pid: expect.any(Number) };
    expect(lines.map((line) => JSON.parse(line))).toEqual([same, same]);
  });
});

describe('agents that do not work well', () => {
  test.each(['idle', 'quit'])('%s changes nothing and exits with 0', (name) => {
    const dir = sample();
    expect(run(dir, 'tdd', { name }).status).toBe(0);
    expect(changesIn(dir)).toEqual([]);
  });

  test('liar claims success and changes only a comment, and that only in its stage', () => {
    const dir = sample();
    run(dir, 'tdd', { name: 'liar', args: ['implement'] });
    expect(isGreen(dir)).toBe(false);
    const before = codeOf(dir);
    expect(resultOf(run(dir, 'implement', { name: 'liar', args: ['implement'] })).text).toContain('All tests pass');
    expect([codeOf(dir), isGreen(dir)]).toEqual([before, false]);
    expect(readFileSync(join(dir, 'src/add.js'), 'utf8')).toContain('// implement done');
  });

  test('cheat turns the tests green by weakening the test', () => {
    const dir = sample();
    run(dir, 'tdd', { name: 'cheat' });
    const sealed = readFileSync(join(dir, 'test/double.test.js'), 'utf8');
    run(dir, 'implement', { name: 'cheat' });
    expect(readFileSync(join(dir, 'test/double.test.js'), 'utf8')).not.toBe(sealed);
    expect([isGreen(dir), codeOf(dir).includes('not implemented')]).toEqual([true, true]);
  });

  test('fail exits with 3, with its work done only when asked', () => {
    const dir = sample();
    expect(run(dir, 'tdd', { name: 'fail' }).status).toBe(3);
    expect(changesIn(dir)).toEqual([]);
    expect(run(dir, 'tdd', { name: 'fail', args: ['implement', 'worked'] }).status).toBe(0);
    expect(run(dir, 'implement', { name: 'fail', args: ['implement', 'worked'] }).status).toBe(3);
    expect(isGreen(dir)).toBe(true);
  });

  test.each(stages)('stubborn never passes %s but changes something each time', (stage) => {
    const dir = sample();
    for (const earlier of stages.slice(0, stages.indexOf(stage))) run(dir, earlier, {});
    const seen = [1, 2].map(() => {
      run(dir, stage, { name: 'stubborn', args: [stage] });
      return JSON.stringify(snapshotRepo(dir));
    });
    expect(new Set(seen).size).toBe(2);
    expect(isGreen(dir)).toBe(stage !== 'implement');
  });
});

describe('agents that work well in odd ways', () => {
  test('meddler does good work, leaves its git in disorder, and its wires trip', () => {
    const dir = sample();
    const wire = join(root, 'wire');
    for (const stage of ['tdd', 'implement'] as const) expect(run(dir, stage, { name: 'meddler', env: { PDLC_TEST_WIRE: wire } }).status).toBe(0);
    expect(isGreen(dir)).toBe(true);
    expect(git(dir, 'stash', 'list').split('\n')).toHaveLength(2);
    expect(git(dir, 'log', '--format=%an %s', '-2')).toBe('Meddler mine, amended\nMeddler mine, amended');
    expect(git(dir, 'for-each-ref', '--format=%(refname)', 'refs/heads/wild', 'refs/tags')).toBe('refs/heads/wild\nrefs/tags/wild-tag');
    expect(existsSync(wire)).toBe(false);
    spawnSync('git', ['commit', '--allow-empty', '-qm', 'x'], { cwd: dir, env: cleanEnv() });
    expect(readFileSync(wire, 'utf8')).toContain('pre-commit');
  });

  test('slow works after its time, or once its file is there', () => {
    const dir = sample();
    for (const gate of ['30', join(dir, 'package.json')]) expect(run(dir, 'tdd', { name: 'slow', args: ['tdd', gate] }).status).toBe(0);
    expect(isGreen(dir)).toBe(false);
  });

  test('flood prints as much as it is told', () => {
    const dir = sample();
    const ended = run(dir, 'tdd', { name: 'flood', args: ['tdd', '3'] });
    expect(Math.floor(ended.stdout.length / 1_048_576)).toBe(3);
    expect(resultOf(ended).text).toBe('done, at length');
  });

  test('garble prints what is no UTF-8, and still has a result', () => {
    const ended = run(sample(), 'tdd', { name: 'garble' });
    expect(Buffer.from(ended.stdout.toString()).equals(ended.stdout)).toBe(false);
    expect(resultOf(ended).text).toBe('done');
  });
});

describe('evaluators', () => {
  const judge = (dir: string, name: string) => cardSchema.safeParse(resultOf(run(dir, 'review', { name, role: 'evaluator' })).card);

  test.each([
    ['approve', 0, 0],
    ['block-once', 1, 0],
    ['block-always', 1, 1],
  ])('%s has %i blocking findings before the fixer and %i after', (name, before, after) => {
    const dir = sample();
    run(dir, 'implement', {});
    expect(judge(dir, name).data).toMatchObject({ commit: git(dir, 'rev-parse', 'HEAD') });
    expect(judge(dir, name).data?.findings).toHaveLength(before);
    run(dir, 'review', { role: 'fixer' });
    const card = judge(dir, name);
    expect(card.success && blockingFindings(card.data)).toHaveLength(after);
  });

  test('malformed and two-cards return no card that fits', () => {
    expect(['malformed', 'two-cards'].map((name) => judge(sample(), name).success)).toEqual([false, false]);
  });

  test('wrong-commit approves another commit than its own', () => {
    const dir = sample();
    const card = judge(dir, 'wrong-commit');
    expect([card.success, card.data?.commit === git(dir, 'rev-parse', 'HEAD')]).toEqual([true, false]);
  });

  test('editor edits what it judges', () => {
    const dir = sample();
    expect(judge(dir, 'editor').success).toBe(true);
    expect(changesIn(dir)).toEqual(['?? src/double.js']);
  });
});
