// Owns making the namespace of the local stack usable: that it answers, keeps runs for 30 days and knows our search attributes.
// Never lowers or replaces a retention that a person has set.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { namespaceName, searchAttributes } from './namespace.js';

const usableMsMax = 20_000;
const connectMsMax = 2_000;
const pollMs = 20;
// One day: what the dev server gives a namespace that it makes from its command line.
const devServerRetentionSeconds = 86_400;
const retentionDays = 30;
// INDEXED_VALUE_TYPE_KEYWORD of Temporal's API; the enum itself would cost the import of all its protocol files.
const keywordType = 2;

/** Waits up to 20 s for the namespace to answer and puts it right; the reason in words when it does not, else null. */
export async function prepareNamespace(address: string): Promise<string | null> {
  const deadline = performance.now() + usableMsMax;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: connectMsMax });
      return await connection.withDeadline(Date.now() + usableMsMax, () => prepareOnce(connection));
    } catch (error) {
      if (performance.now() >= deadline) return error instanceof Error ? error.message : String(error);
      await sleep(pollMs);
    }
  }
}

async function prepareOnce(connection: Connection): Promise<null> {
  try {
    const { workflowService, operatorService } = connection;
    const namespace = namespaceName;
    const { config } = await workflowService.describeNamespace({ namespace });
    const retention = config?.workflowExecutionRetentionTtl?.seconds;
    if (retention?.eq(devServerRetentionSeconds)) {
      const workflowExecutionRetentionTtl = { seconds: retention.mul(retentionDays) };
      await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
    }
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter((name) => !(name in customAttributes));
    if (missing.length > 0) {
      const added = Object.fromEntries(missing.map((name) => [name, keywordType]));
      await operatorService.addSearchAttributes({ namespace, searchAttributes: added });
    }
    return null;
  } finally {
    await connection.close();
  }
}
