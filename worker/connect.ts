// Owns how a worker reaches its server: the local stack's address, or the same profiles that the `temporal` command uses.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';

/** How long a worker waits for a server that is still starting, in ms. */
const connectMsMax = 25_000;
const retryMs = 50;

/** A connection whose namespace answers, within a limit; throws the last error after it. */
export async function connectWorker(env: Record<string, string | undefined>): Promise<{ connection: NativeConnection; namespace: string }> {
  const { options, namespace } = targetOf(env);
  const deadline = performance.now() + connectMsMax;
  for (;;) {
    try {
      const connection = await NativeConnection.connect(options);
      await connection.workflowService.describeNamespace({ namespace });
      return { connection, namespace };
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(retryMs);
    }
  }
}

function targetOf(env: Record<string, string | undefined>) {
  const { PDLC_TEMPORAL_ADDRESS: address, PDLC_TEMPORAL_NAMESPACE: local } = env;
  if (address) return { options: { address }, namespace: local ?? 'pdlc' };
  const overrideEnvVars = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars });
  return { options: connectionOptions, namespace: namespace ?? 'pdlc' };
}
