// The scripted worker and fixer of the demonstration: reads its prompt, and lays the files of edits/<turn>/ over its working directory.
// Must never look outside that directory or call anything: it needs no key and no network.
import { cpSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { finish, say } from './script.mjs';

const { PDLC_STAGE: stage, PDLC_ROLE: role, PDLC_ATTEMPT: attempt } = process.env;

const turns = {
  tdd: {
    plan: ['Reading docs/design/slugify.md', 'Writing six tests in test/slugify.test.js', 'Adding a stub that only throws, so that the tests can import it'],
    text: 'Six tests describe slugify; all of them fail because it is not there yet.',
    usage: { usd: 0.0214, tokens: [6_120, 940] },
  },
  implement: {
    plan: ['Reading test/slugify.test.js', 'Writing src/slugify.js: lower case, accents by table, hyphens', 'That looks right'],
    text: 'slugify is done.',
    usage: { usd: 0.0187, tokens: [7_350, 620] },
  },
  repair: {
    plan: ['Running the tests: "--Sale!--" keeps its hyphens', 'Cutting hyphens off both ends', 'Running the tests again: all green'],
    text: 'A slug no longer begins or ends with a hyphen; all tests pass.',
    usage: { usd: 0.0143, tokens: [8_010, 310] },
  },
  fix: {
    plan: [
      'Typing the same title both ways: two slugs, the finding is right',
      'Replacing the table of accents by Unicode decomposition',
      'Running the tests: all green',
    ],
    text: 'Accents are dropped however they were typed; the table is gone.',
    usage: { usd: 0.0165, tokens: [8_640, 410] },
  },
};

const prompt = readFileSync(0, 'utf8');
const refusal = /~~~refusal\n(.+)/.exec(prompt)?.[1];
const name = { tdd: 'tdd', implement: refusal ? 'repair' : 'implement', review: 'fix' }[stage];
if (!name) throw new Error(`PDLC_STAGE: expected tdd, implement or review, found ${JSON.stringify(stage)}. Run "pdlc demo".`);
const { plan, text, usage } = turns[name];

await say(`I am the ${role} of ${stage}, attempt ${attempt}`, ...(refusal ? [`Refused was: ${refusal}`] : []), ...plan);
cpSync(fileURLToPath(new URL(`edits/${name}`, import.meta.url)), '.', { recursive: true });
finish(text, usage);
