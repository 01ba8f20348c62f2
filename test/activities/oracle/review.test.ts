// Guarantees of the review stage: only an exact card without a blocking finding passes, whatever else an evaluator says or does.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Capture } from '../../../machines/contract/attempt.js';
import type { Verdict } from '../../../machines/contract/verdict.js';
import { freshDir } from '../git/scene.js';
import { candidateOn, command, configOf, counter, greenFiles, judgeAs, lineOf, makeRun, type Run, redFiles, textFile } from './run.js';

type Finding = Record<string, unknown>;
const finding = (severity: string, more: Finding = {}): Finding => ({ id: `${severity}-1`, severity, file: 'src/twice.sh', line: 1, why: 'because', ...more });
const card = (findings: Finding[], more: object = {}) => JSON.stringify({ commit: 'COMMIT', summary: 'read it', findings, ...more });

/** A run whose evaluator runs a script and prints a text with COMMIT replaced by the commit it was given. */
async function runWith(script: string, checks = { unit: command('true') }): Promise<{ run: Run; candidate: Capture }> {
  const run = await makeRun({ config: configOf({ evaluator: script, checks }) });
  return { run, candidate: candidateOn(run, run.base, { ...redFiles, ...greenFiles }) };
}

/** Prints the text of a file with COMMIT replaced by the commit that the evaluator was given. */
const print = (file: string): string => `cat >/dev/null; sed "s/COMMIT/$PDLC_COMMIT/g" '${file}'`;

const [answerFile, scriptFile] = [textFile(''), textFile('')];
let shared: { run: Run; candidate: Capture };
beforeAll(async () => {
  shared = await runWith(`${print(answerFile)}; . '${scriptFile}'`);
});

/** The review of work whose checks this run has seen green, so that only the evaluator decides: it answers, then does what the script says. */
function reviewed(answer: string, script = ''): Promise<Verdict> {
  writeFileSync(answerFile, answer);
  writeFileSync(scriptFile, script);
  const { run, candidate } = shared;
  return judgeAs('review', run, { candidate, tip: candidate.commit, verified: candidate.commit });
}

describe('cards', () => {
  test.each([
    ['alone', card([])],
    ['in prose', `I looked at {everything}.\n${card([finding('serious'), finding('normal'), finding('suggestion')])}\nThat is all.`],
    ['in the result line', JSON.stringify({ type: 'result', text: 'done', card: JSON.parse(card([])) })],
  ])('an exact card without a blocking finding is a pass: %s', async (_, answer) => {
    expect(lineOf(await reviewed(answer))).toBe('pass at evaluate');
  });

  test('a card that is wrong is no verdict, and two processes were paid for', async () => {
    const verdict = await reviewed(card([], { approved: true }));
    expect(verdict).toMatchObject({ kind: 'unknown', gate: 'evaluate', card: null, usage: [{}, {}] });
    expect(lineOf(verdict)).toMatch(/the evaluator returned no verdict: its card is malformed .* \(twice\)/);
  });

  test('a blocking finding is a refusal that names it, and the card is kept for the next round', async () => {
    const verdict = await reviewed(card([finding('normal'), finding('blocking', { why: 'loses data' })]));
    expect(verdict).toMatchObject({ kind: 'reject', gate: 'evaluate', reason: 'the evaluator found a blocking finding: blocking-1: loses data' });
    expect(verdict).toMatchObject({ feedback: expect.stringContaining('[blocking] blocking-1 src/twice.sh:1: loses data'), card: { findings: [{}, {}] } });
  });
});

describe('an evaluator that does more than read', () => {
  test.each([
    ['edits a file', 'echo >> src/twice.sh', 'src/twice.sh'],
    ['deletes a file', 'rm test/add.test.sh', 'test/add.test.sh'],
    ['edits and commits', 'echo >> src/twice.sh; git commit -qam x', 'src/twice.sh'],
    ['edits behind the index', 'echo >> src/twice.sh; git update-index --assume-unchanged src/twice.sh', 'src/twice.sh'],
  ])('%s: its verdict is void', async (_, script, path) => {
    expect(lineOf(await reviewed(card([]), script))).toContain(`it edited the copy that it had to judge (${path})`);
  });

  test.each([
    ['exit 1', 'it exited with 1'],
    ['kill -KILL $$', 'it was ended by signal 9'],
    ['exit 127', 'it could not be started'],
  ])('a card before %s is no verdict', async (script, problem) => {
    expect(lineOf(await reviewed(card([]), script))).toContain(problem);
  });
});

test('a second try that brings a card counts, and both are paid for', async () => {
  const first = freshDir('first');
  const usage = (usd: number) => `echo '{"type":"result","usd":${usd},"text":""}'`;
  const { run, candidate } = await runWith(
    `[ -e '${first}/x' ] || { touch '${first}/x'; ${usage(2)}; exit; }; printf '{"type":"result","usd":1,"card":{"commit":"%s","summary":"s","findings":[]}}' $PDLC_COMMIT`,
  );
  const verdict = await judgeAs('review', run, { candidate, tip: candidate.commit, verified: candidate.commit });
  expect(verdict).toMatchObject({ kind: 'pass', usage: [{ usd: 2 }, { usd: 1 }] });
});

describe('checks before the evaluator', () => {
  let runs: ReturnType<typeof counter>;
  let scene: { run: Run; candidate: Capture };
  beforeAll(async () => {
    runs = counter();
    scene = await runWith(print(textFile(card([]))), { unit: command(runs.run) });
  });

  test('are not repeated on the tree on which this run saw them green, and are on another', async () => {
    const { run, candidate } = scene;
    const state = candidateOn(run, candidate.commit, { 'docs/.pdlc-state/F1.json': '{}' });
    await judgeAs('review', run, { candidate: state, tip: state.commit, verified: candidate.commit });
    expect(runs.count()).toBe(0);
    await judgeAs('review', run, { candidate: state, tip: state.commit, verified: null });
    expect(runs.count()).toBe(1);
    const fixed = candidateOn(run, state.commit, { 'src/twice.sh': 'twice() { echo 4; }\n' });
    expect(lineOf(await judgeAs('review', run, { candidate: fixed, tip: state.commit, verified: candidate.commit }))).toBe('pass at evaluate');
    expect(runs.count()).toBe(2);
  });

  test('that are red, or sealed files that changed, are refused without an evaluator', async () => {
    const red = await runWith('true', { unit: command('exit 1') });
    expect(await judgeAs('review', red.run, { candidate: red.candidate, tip: red.candidate.commit })).toMatchObject({
      kind: 'reject',
      gate: 'checks',
      usage: [],
    });
    const changed = candidateOn(scene.run, scene.candidate.commit, { 'test/add.test.sh': 'true\n' });
    expect(await judgeAs('review', scene.run, { candidate: changed, tip: scene.candidate.commit })).toMatchObject({ kind: 'tampered', usage: [] });
  });
});

test('the evaluator sees the candidate without state files, its commit, the design, the change, and only named variables', async () => {
  const seen = freshDir('seen');
  const { run } = await runWith(`cat > '${seen}/prompt'; find . -path ./.git -prune -o -type f -print > '${seen}/files'; env > '${seen}/env'`);
  const candidate = candidateOn(run, run.base, { ...redFiles, 'docs/.pdlc-state/F1.json': '{}' });
  const previous = { commit: run.base, summary: 's', findings: [{ id: 'old-1', severity: 'blocking' as const, why: 'was wrong' }] };
  await judgeAs('review', run, { candidate, tip: candidate.commit, verified: candidate.commit, previous });
  const [files, env, prompt] = ['files', 'env', 'prompt'].map((name) => readFileSync(join(seen, name), 'utf8'));
  expect(files).toContain('./src/twice.sh');
  expect(files).not.toContain('.pdlc-state');
  expect(env).toContain(`PDLC_COMMIT=${candidate.commit}\n`);
  expect(env).toContain('PDLC_ROLE=evaluator\n');
  expect(env).not.toMatch(/hush|SECRET_KEY/);
  for (const part of [candidate.commit, 'A function twice.', '+twice() { return 1; }', '[blocking] old-1: was wrong']) expect(prompt).toContain(part);
});
