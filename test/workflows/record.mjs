// Records histories as replay input: every kind of end and wait, run on a stack of its own in a temporary folder. Usage: npm run record
// Texts of this machine are scrubbed, and inputs of activities are left out, but for the facts that they hand to the ledger: replay compares commands, not what they carry.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { stringify } from 'yaml';
import { openFolder, stateFile } from '../helpers/world.mjs';
import { runScripts } from './scripted-host.mjs';

const prefix = 'v1';
const histories = join(import.meta.dirname, '..', 'histories');
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

/** Each real run: its configuration, options of loop-run, and what a person does `after` it. */
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
  const address = `127.0.0.1:${world.stack().ports.server}`;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace: 'pdlc' });
  await runScripts({ address, client, input: await inputOf(client, 'done') }, () => record(client));
  await connection.close();
} finally {
  world.close();
}

function makeRepo(id, { agent = good, evaluator = fixture('approve'), config = {} }) {
  const settings = stringify({ agent: { command: agent }, evaluator: { command: evaluator }, checks: { unit: 'node --test' }, ...config });
  return world.makeRepo(join(root, id, 'sample'), { ...files, 'pdlc.yaml': settings, ...stateFile(id, 'docs/design.md') });
}

/** What a real run was started with. */
async function inputOf(client, id) {
  for (const run of await listed(client)) {
    if (!run.workflowId.endsWith(`/${id}`)) continue;
    const { events } = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
    const [payload] = events[0].workflowExecutionStartedEventAttributes.input.payloads;
    return JSON.parse(Buffer.from(payload.data).toString());
  }
  throw new Error(`no run of ${id}`);
}

/** All runs, each execution of one that was continued as new by itself, oldest first. */
async function listed(client) {
  const found = [];
  for await (const run of client.workflow.list()) found.push(run);
  return found.sort((a, b) => a.startTime - b.startTime);
}

async function record(client) {
  for (const name of readdirSync(histories)) if (name.startsWith(`${prefix}-`)) rmSync(join(histories, name));
  const found = await listed(client);
  for (const { workflowId, runId } of found) {
    const segments = found.filter((other) => other.workflowId === workflowId).map((segment) => segment.runId);
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const name = `${workflowId.split('/').at(-1)}${segments.length > 1 ? `-${segments.indexOf(runId) + 1}` : ''}`;
    writeFileSync(join(histories, `${prefix}-${name}.json`), textOf(history));
  }
  console.log(`${found.length} histories`);
}

/** One event a line. */
function textOf(history) {
  const { events } = JSON.parse(historyToJSON(history));
  for (const { activityTaskScheduledEventAttributes: scheduled } of events) if (scheduled) scheduled.input = factsIn(scheduled.input);
  return scrub(`{"events":[\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n]}\n`);
}

/** Of an activity's input only what a ledger can be written again from; undefined when that is nothing. */
function factsIn(input) {
  const [payload] = input?.payloads ?? [];
  const { run, runKey, entries } = JSON.parse(Buffer.from(payload?.data ?? 'e30=', 'base64').toString());
  if (!entries) return undefined;
  const data = Buffer.from(JSON.stringify({ run: { hostId: run.hostId }, runKey, entries })).toString('base64');
  return { payloads: [{ ...payload, data }] };
}

/** Payloads are base64; what they hold of this machine's folders is replaced inside them. */
function scrub(text) {
  const folders = /\/(?:tmp|home|root|work|var)\/[^"\\\s]*?(?=\/(?:projects|sample|home|test\/fixtures)\b)/g;
  return text.replaceAll(/"data":"([A-Za-z0-9+/=]+)"/g, (whole, data) => {
    const decoded = Buffer.from(data, 'base64').toString();
    return Buffer.from(decoded).toString('base64') === data ? `"data":"${Buffer.from(decoded.replaceAll(folders, '/somewhere')).toString('base64')}"` : whole;
  });
}
