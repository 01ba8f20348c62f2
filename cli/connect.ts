// Owns how a command reaches the server: an address or profile if the environment names one, else the local stack, started when needed.
// Loads Temporal's client only here, and only when a command really needs it.
import type { Client, ConnectionOptions } from '@temporalio/client';
import { ensureStack, hostIdOf, knownUiUrl, namespaceName, type Stack, StackError, type StackRequest } from '../worker/stack/index.js';
import type { Context } from './context.js';
import { unavailable } from './error.js';
import { workerEntry } from './places.js';

/** What a run has to know of its host: its id, and the heartbeat timeout in ms that fits the server. */
export type HostFacts = { hostId: string; heartbeatMs: number };

/**
 * A connected server; `uiUrl` is the web UI's base or null, `polled` comes when the worker of the local stack polls (69 when it does not start),
 * `revive` starts what is down of the local stack (null: the server is not ours to start).
 */
export type Server = HostFacts & {
  client: Client;
  namespace: string;
  uiUrl: string | null;
  polled: Promise<void>;
  revive: (() => Promise<void>) | null;
  close: () => Promise<void>;
};

const localHeartbeatMs = 5_000;
const remoteHeartbeatMs = 10_000;
/** How long a server that someone else runs may take to answer, in ms. */
const remoteConnectMsMax = 5_000;
/** The same for the local stack, whose process is known to live: on a busy machine it is slow, not absent. */
const localConnectMsMax = 20_000;

/** Whether the environment names a server, so that nothing local is started. */
export const hasOwnServer = (env: Context['env']): boolean => Boolean(env.TEMPORAL_ADDRESS || env.TEMPORAL_PROFILE || env.TEMPORAL_CONFIG_FILE);

/** The web UI's page of a workflow as far as it is known without asking a server, or null. */
export function knownPage({ env, home }: Context, workflowId: string): string | null {
  const base = hasOwnServer(env) ? env.PDLC_UI_URL : knownUiUrl(home);
  return base ? pageOf(base, { namespace: env.TEMPORAL_NAMESPACE ?? namespaceName, workflowId }) : null;
}

/** The web UI's page of a workflow. */
export function pageOf(uiUrl: string, { namespace, workflowId }: { namespace: string; workflowId: string }): string {
  return `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;
}

/** Connects; 69 with the address tried and what to do when nothing answers. */
export async function connect(context: Context): Promise<Server> {
  const server = await connectEarly(context);
  await server.polled;
  return server;
}

/** The same, as soon as the server answers: what is asked of the worker has to wait for `polled`. */
export async function connectEarly(context: Context): Promise<Server> {
  return hasOwnServer(context.env) ? connectRemote(context) : connectLocal(context);
}

/** The facts of this host, known before any server is asked. */
export function hostFacts({ env, home }: Context): HostFacts {
  return { hostId: hostIdOf(home), heartbeatMs: hasOwnServer(env) ? remoteHeartbeatMs : localHeartbeatMs };
}

async function connectLocal(context: Context): Promise<Server> {
  const coming = comingUp(context);
  // Loading the client takes as long as a warm start of the stack, so both go side by side.
  const [stack] = await Promise.all([coming.stack, import('./temporal.js')]);
  const opened = await open({ address: stack.address, connectTimeout: localConnectMsMax }, namespaceName, stack.address);
  const revive = async (): Promise<void> => {
    // Commands of two builds that follow runs would otherwise replace each other's worker for ever.
    const again = await bringUp(context, { anyBuild: true }).catch((error) => context.err(`  ${error instanceof Error ? error.message : String(error)}`));
    const address = again?.address ?? stack.address;
    // The open connection leads to the old address; another command finds the new one.
    if (address !== stack.address) throw unavailable(`The local stack is now at ${address}, this command is connected to ${stack.address}; run it again`);
  };
  return { ...opened, ...hostFacts(context), uiUrl: stack.uiUrl, polled: coming.polled, revive };
}

/** The stack as soon as its server can be used, and its worker when it polls. */
function comingUp(context: Context): { stack: Promise<Stack>; polled: Promise<void> } {
  let polled = Promise.resolve();
  const stack = new Promise<Stack>((resolve, reject) => {
    polled = bringUp(context, { onServer: resolve }).then(resolve);
    polled.catch(reject); // too late for a stack that is there already: then whoever waits for `polled` hears it
  });
  return { stack, polled };
}

async function bringUp({ home, env, build, err }: Context, how: Pick<StackRequest, 'onServer' | 'anyBuild'>): Promise<Stack> {
  try {
    return await ensureStack({ home, env: { ...env }, build: build(), log: err, workerEntry, ...how });
  } catch (error) {
    if (error instanceof StackError) throw unavailable(error.message);
    throw error;
  }
}

async function connectRemote(context: Context): Promise<Server> {
  const { loadClientConnectConfig } = await import('./temporal.js');
  const overrideEnvVars = Object.fromEntries(Object.entries(context.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars });
  const opened = await open(
    { ...connectionOptions, connectTimeout: remoteConnectMsMax },
    namespace ?? namespaceName,
    connectionOptions.address ?? 'the configured address',
  );
  return { ...opened, ...hostFacts(context), uiUrl: context.env.PDLC_UI_URL ?? null, polled: Promise.resolve(), revive: null };
}

async function open(
  options: ConnectionOptions & { connectTimeout: number },
  namespace: string,
  address: string,
): Promise<Pick<Server, 'client' | 'namespace' | 'close'>> {
  const { Client, Connection } = await import('./temporal.js');
  try {
    const connection = await Connection.connect(options);
    await connection.withDeadline(Date.now() + options.connectTimeout, () => connection.workflowService.describeNamespace({ namespace }));
    return { client: new Client({ connection, namespace }), namespace, close: () => connection.close() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw unavailable(
      `Temporal server: expected namespace ${namespace} to answer at ${address}, found: ${why}. Check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, or unset them to use the local stack; then run: pdlc doctor`,
    );
  }
}
