// Guarantees of reading a run's past: all entries that were handed over, once each and in order, over all executions; what the server does not have is told apart from nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, test } from 'vitest';
import { type HistoryClient, readPast } from '../../../activities/ledger/past.js';
import { readLedger } from '../../../activities/ledger/read.js';
import { rebuildLedger } from '../../../activities/ledger/rebuild.js';
import type { LedgerEntry } from '../../../machines/contract/ledger.js';
import { reportOf } from '../../../machines/contract/report.js';
import { isFinal, isWaiting } from '../../../machines/contract/run-state.js';
import { tempDir } from '../../helpers/temp.js';
import { attempt, judged, numbered, over, settled, started } from './entries.js';

const entries = numbered([started, attempt('tdd', 1), judged('tdd', 1, { kind: 'reject' }), settled('tdd', false), over('aborted')]);
const gone = Object.assign(new Error('not found'), { code: 5 });

const begins = (continuedExecutionRunId: string) => ({ workflowExecutionStartedEventAttributes: { continuedExecutionRunId } });

function scheduled(name: string, handed: readonly unknown[]): object {
  const input = { run: { hostId: 'host' }, runKey: 'first', at: null, entries: handed, settle: null };
  return { activityTaskScheduledEventAttributes: { activityType: { name }, input: { payloads: [defaultPayloadConverter.toPayload(input)] } } };
}

/** A server that knows these executions; any other is gone. */
function serverOf(executions: Record<string, readonly unknown[]>): HistoryClient {
  const fetchHistory = async (runId = '') => {
    if (!executions[runId]) throw gone;
    return { events: executions[runId] };
  };
  return { workflow: { getHandle: (_workflowId, runId) => ({ fetchHistory: () => fetchHistory(runId) }) } };
}

const past = (executions: Record<string, readonly unknown[]>, runId: string) => readPast(serverOf(executions), { workflowId: 'w', runId });

const first = [begins(''), scheduled('publish', entries.slice(0, 2)), scheduled('agent', []), scheduled('publish', entries.slice(0, 3))];
const second = [begins('first'), scheduled('publish', entries.slice(3, 4)), {}, scheduled('release', entries.slice(4))];

test('entries of all executions come in order, those that were handed over twice come once', async () => {
  expect(await past({ first, second }, 'second')).toEqual({ runKey: 'first', hostId: 'host', entries });
});

test('where early executions are gone, what is left begins later', async () => {
  expect((await past({ second }, 'second'))?.entries).toEqual(entries.slice(3));
});

test('a run that is gone is not one that has handed nothing over', async () => {
  await expect(past({}, 'second')).rejects.toMatchObject({ kind: 'ledger_broken', message: expect.stringContaining('found that it is gone') });
  expect(await past({ first: [begins(''), scheduled('agent', [])] }, 'first')).toBeNull();
});

test('a server that cannot be asked is no server that has forgotten', async () => {
  const client: HistoryClient = { workflow: { getHandle: () => ({ fetchHistory: () => Promise.reject(Object.assign(new Error('down'), { code: 14 })) }) } };
  await expect(readPast(client, { workflowId: 'w', runId: 'first' })).rejects.toThrow('down');
});

test('an entry that is none is never passed over', async () => {
  const wrong = { ...entries[0], limits: null } as unknown as LedgerEntry; // as another build may have written it
  await expect(past({ first: [begins(''), scheduled('publish', [wrong])] }, 'first')).rejects.toMatchObject({ kind: 'ledger_broken' });
});

const folder = join(import.meta.dirname, '../../histories');

test('every recorded run that ended or waits gives a sound ledger from its first fact to its last', async () => {
  let sound = 0;
  for (const name of readdirSync(folder)) {
    const { events } = historyFromJSON(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    const read = () => readPast({ workflow: { getHandle: () => ({ fetchHistory: async () => ({ events }) }) } }, { workflowId: 'w', runId: 'r' });
    const known = await read();
    // An open run may not have written yet, and a later execution does not have the beginning.
    if (known?.entries[0]?.seq !== 1) continue;
    const file = join(tempDir('past'), 'ledger.jsonl');
    await rebuildLedger({ file, runKey: known.runKey, past: read });
    const ledger = await readLedger(file, known.runKey);
    expect([name, ledger.ok, ledger.entries]).toEqual([name, true, known.entries]);
    expect(ledger.entries[0]?.kind).toBe('run.started');
    const { state } = reportOf(ledger.entries);
    if (isFinal(state) || isWaiting(state)) sound += 1;
  }
  expect(sound).toBeGreaterThanOrEqual(20);
});
