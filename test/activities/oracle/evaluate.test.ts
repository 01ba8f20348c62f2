// Guarantees of verdict cards: only an exact card about the given commit is a verdict; what comes close is none, and is never mended.
import { expect, test } from 'vitest';
import { commandAgent } from '../../../activities/agents/command.js';
import { cardProblem } from '../../../activities/oracle/evaluate.js';

type Finding = Record<string, unknown>;
const commit = 'a1'.repeat(20);
const finding = (severity: string, more: Finding = {}): Finding => ({ id: `${severity}-1`, severity, file: 'src/a.js', line: 1, why: 'because', ...more });
const card = (findings: Finding[], more: object = {}) => JSON.stringify({ commit, summary: 'read it', findings, ...more });

/** What is wrong with an evaluator's output, null when it is a verdict. */
const problemOf = (output: string): string | null => cardProblem(commandAgent.read(output).card, commit);

test.each<[string, string]>([
  ['bare', card([])],
  ['fenced', `\`\`\`json\n${card([])}\n\`\`\`\n`],
  ['with prose around', `I looked at {everything}.\n${card([finding('serious'), finding('normal'), finding('suggestion')])}\nThat is all.`],
  ['as the result line', JSON.stringify({ type: 'result', text: 'done', usd: 0.5, card: JSON.parse(card([])) })],
  ['in the text of the result line', JSON.stringify({ type: 'result', text: `Here: ${card([])}` })],
  ['with optional places left out', card([{ id: 'a', severity: 'normal', why: 'w' }])],
  ['with fifty findings', card(Array.from({ length: 50 }, (_, at) => finding('normal', { id: `n${at}` })))],
])('an exact card is one: %s', (_, answer) => {
  expect(problemOf(answer)).toBeNull();
});

const none = 'no JSON object that could be a card, or more than one';
test.each<[string, string, string]>([
  ['nothing', '', none],
  ['null', 'null', none],
  ['text', 'All good, approved, no blocking findings.', none],
  ['two objects', `${card([])}\n${card([])}`, none],
  ['a card and another object', `{}\n${card([])}`, none],
  ['a card that is cut off', card([]).slice(0, -2), none],
  ['an array', '[1]', none],
  ['a wrong commit', card([], { commit: 'f'.repeat(40) }), 'its card is about commit ffffffffff'],
  ['a short commit', card([], { commit: 'abc' }), 'its card is malformed (commit'],
  ['no commit', '{"summary":"s","findings":[]}', 'its card is malformed (commit'],
  ['no findings', `{"commit":"${commit}","summary":"s"}`, 'its card is malformed (findings'],
  ['findings that are null', card([], { findings: null }), 'its card is malformed (findings'],
  ['an unknown severity', card([finding('critical')]), 'its card is malformed (findings.0.severity'],
  ['an unknown key', card([], { approved: true }), 'its card is malformed (card'],
  ['a finding with an unknown key', card([finding('normal', { fixed: true })]), 'its card is malformed (findings.0'],
  ['a finding without a reason', card([finding('normal', { why: '' })]), 'its card is malformed (findings.0.why'],
  ['a negative line', card([finding('normal', { line: -1 })]), 'its card is malformed (findings.0.line'],
  ['51 findings', card(Array.from({ length: 51 }, () => finding('normal'))), 'its card is malformed (findings'],
  ['a result line with a card of null', '{"type":"result","text":"fine","card":null}', none],
])('anything else is no verdict, %s', (_, answer, problem) => {
  expect(problemOf(answer)).toContain(problem);
});

test('the words about a card that is wrong are bounded', () => {
  expect(problemOf(card([], { [`${'x'.repeat(100_000)}`]: 1 }))?.length).toBeLessThan(300);
});
