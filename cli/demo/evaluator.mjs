// The scripted evaluator of the demonstration: tries the code of its copy on edge cases of the design, and reports what does not hold.
// Must never change the copy, and never report a finding that it has not seen.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { finish, say } from './script.mjs';

const file = 'src/slugify.js';
const usage = { usd: 0.0119, tokens: [9_280, 270] };
const probes = [
  { id: 'combining-marks', text: 'Cre\u0300me Bru\u0302le\u0301e', wanted: 'creme-brulee', rule: 'the same title has the same slug however it was typed' },
  { id: 'edges', text: '  --Sale!--  ', wanted: 'sale', rule: 'a slug neither begins nor ends with a hyphen' },
  { id: 'empty', text: '\u00a0\u2014\u00a0', wanted: '', rule: 'if nothing is left, the slug is the empty string' },
];

readFileSync(0, 'utf8');
await say('Reading the design and the change', `Trying ${file} on ${probes.length} edge cases of the design`);
const { slugify } = await import(pathToFileURL(resolve('src/index.js')).href);
const line =
  readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes('function slugify')) + 1;
const findings = probes.flatMap(({ id, text, wanted, rule }) => {
  const found = slugify(text);
  if (found === wanted) return [];
  return [{ id, severity: 'blocking', file, line, why: `${rule}: expected ${JSON.stringify(wanted)} for ${escaped(text)}, found ${JSON.stringify(found)}` }];
});
const summary =
  findings.length > 0 ? 'The code does not yet do all that the design asks for.' : 'The code does what the design asks for, also in its edge cases.';
await say(...findings.map(({ why }) => `Found: ${why}`), summary);
finish(summary, usage, { card: { commit: process.env.PDLC_COMMIT, summary, findings } });

/** The text as a literal in which combining marks can be seen. */
function escaped(text) {
  return JSON.stringify(text).replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
