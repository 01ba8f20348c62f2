// Guarantees of the explanation why a run does not go on: a task that keeps failing is told with its cause, and nothing is said without evidence. The server is a fake.
import { describe, expect, test } from 'vitest';
import type { Server } from '../../cli/connect.js';
import { findFailing } from '../../cli/failing.js';
import type { FoundRun } from '../../cli/run-handle.js';

const failed = (message: string) => ({ workflowTaskFailedEventAttributes: { failure: { message }, identity: 'pdlc-h-1-00000000' } });
const completed = { workflowTaskCompletedEventAttributes: {} };
const nondeterminism = '[TMPRL1100] Nondeterminism error: other activity\nmore';

describe('a run that gives no report', () => {
  test('fails by the last failure of its task, which is told in one line with the version that started it', async () => {
    const found = await ask({ attempt: 2, events: [{}, failed(nondeterminism), completed] });
    expect(found?.worker).toBe('pdlc-h-1-00000000');
    expect(found?.problem).toMatch(
      /^F1: this pdlc cannot go on .* \(started by pdlc 0\.3\.0\) .*: \[TMPRL1100\] Nondeterminism error: other activity\. Install .* pdlc loop-run F1$/,
    );
  });

  test('fails by what an engine says that is too old', async () => {
    const found = await ask({ attempt: 9, events: [failed('engine too old: expected less')] });
    expect(found?.problem).toBe('F1: this pdlc cannot go on with the run, and nothing was done: engine too old: expected less. Then run: pdlc loop-run F1');
  });

  test.each([
    { what: 'its task has gone well since', attempt: 2, events: [completed, failed(nondeterminism)] },
    { what: 'its task was tried once', attempt: 1, events: [failed(nondeterminism)] },
    { what: 'its task only took too long', attempt: 2, events: [failed('[TMPRL1101] Potential deadlock detected'), completed] },
    { what: 'its task never failed', attempt: 2, events: [] },
  ])('is not said to fail when $what', async (facts) => expect(await ask(facts)).toBe(null));
});

function ask({ attempt, events }: { attempt: number; events: object[] }) {
  const describe = async () => ({ runId: 'r', memo: { engine: '0.3.0' }, raw: { pendingWorkflowTask: { attempt } } });
  const workflowService = { getWorkflowExecutionHistoryReverse: async () => ({ history: { events } }) };
  const client = { workflowService, withDeadline: (_: number, use: () => unknown) => use() };
  const run = { workflowId: 'pdlc/p/F1', handle: { describe, query: async () => ({}) } };
  return findFailing({ client, namespace: 'pdlc' } as unknown as Server, run as unknown as FoundRun); // only what is asked of them
}
