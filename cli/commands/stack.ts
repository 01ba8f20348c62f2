// The commands up, down and worker: the local stack, and a worker in the foreground for a server of one's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stopStack, workerFlags } from '../../worker/stack/index.js';
import { connect, hasOwnServer } from '../connect.js';
import type { Context } from '../context.js';
import { CliError, usageError } from '../error.js';
import { workerEntry } from '../places.js';

/** How long processes of the stack get to end by themselves, in ms. */
const graceMs = 8_000;

/** Starts what is missing of the local stack and prints where it is. */
export async function up(context: Context, { json }: { json: boolean }): Promise<number> {
  if (hasOwnServer(context.env))
    throw usageError(
      'up: a server of your own is configured (TEMPORAL_ADDRESS, TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE), nothing local is started; run: pdlc worker',
    );
  const server = await connect(context);
  await server.close();
  const { uiUrl, namespace, hostId } = server;
  context.out(
    json ? JSON.stringify({ uiUrl, namespace, hostId, home: context.home }) : `up: ${uiUrl}/namespaces/${namespace}/workflows (state in ${context.home})`,
  );
  return 0;
}

/** Stops worker and server; open runs and working agents go on at the next command. */
export async function down(context: Context, { json }: { json: boolean }): Promise<number> {
  const stopped = await stopStack({ home: context.home, graceMs });
  context.out(
    json
      ? JSON.stringify(stopped)
      : `down: worker ${stopped.worker.replace('_', ' ')}, server ${stopped.server.replace('_', ' ')}; open runs go on at the next command`,
  );
  return 0;
}

/** Runs a worker of this host in the foreground until it is told to stop. */
export async function worker(context: Context): Promise<number> {
  const env = { ...context.env, PDLC_HOME: context.home, PDLC_BUILD: context.build() };
  const child = spawn(process.execPath, [...workerFlags, workerEntry], { env, stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  process.on('SIGHUP', () => pass('SIGTERM')); // a closed terminal lets it hand back its tasks as well
  context.err(`worker: serving this host (${context.home}); stop it with Ctrl-C, agents go on`);
  const [code, signal] = await once(child, 'exit');
  if (code === null) throw new CliError(1, `worker: ended by ${signal}`);
  return Number(code);
}
