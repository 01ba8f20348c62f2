// Records histories as replay input: every kind of end and wait, run on a stack of its own in a temporary folder. Usage: npm run build && node test/workflows/record.mjs
// Texts of this machine are scrubbed: replay compares commands, not paths.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { stringify } from 'yaml';
import { openFolder, stateFile } from '../helpers/world.mjs';

const prefix = 'v1';
const world = openFolder('record');
const { root, pdlc } = world;
const fixture = (name, ...args) => [process.execPath, resolve(import.meta.dirname, `../fixtures/agents/${name}.mjs`), ...args];

const files = {
  'package.json': '{ "name": "sample", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/add.js': 'export const add = (a, b) => a + b;\n',
  'test/add.test.js':
    "import { equal } from 'node:assert'; import { test } from 'node:test'; import { add } from '../src/add.js';\ntest('adds', () => equal(add(1, 2), 3));\n",
  'docs/design.md': '# double\n\n`src/double.js` exports `double(number)`.\n',
};
const ask =
  (name, ...args) =>
  ({ dir, id }) =>
    pdlc(dir, name, id, ...args).stdout;
const writeDouble = ({ dir, id }) => {
  const { tree } = JSON.parse(pdlc(dir, 'status', id, '--json').stdout);
  writeFileSync(join(tree, 'src/double.js'), 'export const double = (number) => number * 2;\n');
};
const good = fixture('good');
const stubborn = fixture('stubborn', 'implement');
const costly = { command: good, env: { PDLC_TEST_USD: '6' } };

/** Each run: its configuration, options of loop-run, and what a person does `after` it. */
const runs = {
  done: {},
  'blocked-tdd': { agent: fixture('stubborn', 'tdd') },
  'blocked-resumed': { agent: stubborn, after: [writeDouble, ask('resume')] },
  stuck: { agent: fixture('idle') },
  'capped-extended': { options: ['--max-steps', '1'], after: [ask('extend', '--steps', '+3'), ask('loop-run')] },
  'review-fixed': { evaluator: fixture('block-once') },
  'review-unknown': { evaluator: fixture('malformed') },
  tampered: { agent: fixture('cheat') },
  'env-broken': { config: { checks: { unit: 'node --test', lint: 'exit 1' } } },
  aborted: { agent: stubborn, after: [ask('abort', '--reason', 'enough')] },
  cancelled: { agent: stubborn, after: [ask('cancel')] },
  'failed-agent': { agent: fixture('fail', 'implement') },
  'timed-out': { agent: fixture('slow', 'tdd', '20000'), config: { limits: { wall: '1s' } } },
  expired: { agent: fixture('slow', 'tdd', '20000'), config: { limits: { deadline: '2s' } } },
  'budget-extended': { config: { agent: costly, limits: { usd: 5, usdPerAttempt: 9 } }, after: [ask('extend', '--usd', '100'), ask('loop-run')] },
  'noted-paused': { agent: stubborn, after: [ask('note', 'look at double'), ask('pause'), ask('resume')] },
  'with-setup': { config: { setup: 'true' } },
  honor: { config: { checks: {} }, options: ['--honor'] },
};

try {
  for (const [id, run] of Object.entries(runs)) {
    const dir = makeRepo(id, run);
    const steps = [ask('loop-run', ...(run.options ?? [])), ...(run.after ?? [])];
    const last = steps.map((step) => step({ dir, id }) ?? '').at(-1);
    console.log(id, last.trim().split('\n').at(-1));
  }
  await record();
} finally {
  world.close();
}

function makeRepo(id, { agent = good, evaluator = fixture('approve'), config = {} }) {
  const settings = stringify({ agent: { command: agent }, evaluator: { command: evaluator }, checks: { unit: 'node --test' }, ...config });
  return world.makeRepo(join(root, id, 'sample'), { ...files, 'pdlc.yaml': settings, ...stateFile(id, 'docs/design.md') });
}

async function record() {
  const { ports } = world.stack();
  const connection = await Connection.connect({ address: `127.0.0.1:${ports.server}` });
  const client = new Client({ connection, namespace: 'pdlc' });
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const text = JSON.stringify(JSON.parse(historyToJSON(history)), null, 1);
    writeFileSync(join(import.meta.dirname, '..', 'histories', `${prefix}-${workflowId.split('/').at(-1)}.json`), `${scrub(text)}\n`);
  }
  await connection.close();
}

/** Payloads are base64; what they hold of this machine's folders is replaced inside them. */
function scrub(text) {
  const folders = /\/(?:tmp|home|root|work|var)\/[^"\\\s]*?(?=\/(?:projects|sample|home|test\/fixtures)\b)/g;
  return text.replaceAll(/"data": "([A-Za-z0-9+/=]+)"/g, (whole, data) => {
    const decoded = Buffer.from(data, 'base64').toString();
    return Buffer.from(decoded).toString('base64') === data ? `"data": "${Buffer.from(decoded.replaceAll(folders, '/somewhere')).toString('base64')}"` : whole;
  });
}
