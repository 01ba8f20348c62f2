// Records the histories of runs on a server as replay input: node test/workflows/record.mjs <address> <prefix> [workflowId...]
// Without ids it records every run of the namespace. Texts of this machine are kept as they are: replay compares commands, not paths.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const [address, prefix, ...ids] = process.argv.slice(2);
if (!address || !prefix) throw new Error('usage: record.mjs <address> <prefix> [workflowId...]');
const connection = await Connection.connect({ address });
const client = new Client({ connection, namespace: process.env.TEMPORAL_NAMESPACE ?? 'pdlc' });
for await (const { workflowId, runId } of client.workflow.list()) {
  if (ids.length > 0 && !ids.includes(workflowId)) continue;
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const name = `${prefix}-${workflowId.split('/').at(-1)}`.replaceAll(/[^A-Za-z0-9.-]/g, '_');
  const text = JSON.stringify(JSON.parse(historyToJSON(history)), null, 1);
  writeFileSync(join(import.meta.dirname, '..', 'histories', `${name}.json`), `${scrub(text)}\n`);
  console.log(name, history.events?.length);
}
await connection.close();

/** Payloads are base64; what they hold of this machine's folders is replaced inside them. */
function scrub(text) {
  const clean = (value) => value.replaceAll(/\/(?:tmp|home|root|work|var)\/[^"\\\s]*?(?=\/(?:projects|sample|home|test\/fixtures)\b)/g, '/somewhere');
  return text.replaceAll(/"data": "([A-Za-z0-9+/=]+)"/g, (whole, data) => {
    const decoded = Buffer.from(data, 'base64').toString();
    return Buffer.from(decoded).toString('base64') === data ? `"data": "${Buffer.from(clean(decoded)).toString('base64')}"` : whole;
  });
}
