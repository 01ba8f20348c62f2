// Owns the worker process: reads its environment once, connects, says that it polls, and drains on a signal. Agents outlive it by design.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createGit, openNursery } from '../activities/index.js';
import { readIdentity } from '../activities/process/identity.js';
import { connectWorker } from './connect.js';
import { createWorkers } from './create.js';
import { withFailPoints } from './fail-points.js';
import { hostIdOf, writeReadyFile } from './stack/index.js';

/** Time between TERM and KILL for processes of an attempt, in ms. */
const graceMs = 1_000;

await main(process.env);

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const home = env.PDLC_HOME;
  if (!home) return fail('PDLC_HOME: expected an absolute path, found nothing; start the worker with: pdlc worker');
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const build = env.PDLC_BUILD ?? buildId();
  try {
    const nursery = openNursery();
    const { connection, namespace } = await connectWorker(env);
    const git = createGit({ path: env.PATH ?? '', run: nursery.collect });
    const points = withFailPoints({ home, hostId: hostIdOf(home), git, detach: nursery.detach, graceMs }, env.PDLC_FAIL_POINTS);
    const bundlePath = fileURLToPath(new URL('../workflows/bundle.js', import.meta.url));
    const workers = await createWorkers({ ...points, connection, namespace, build, bundlePath });
    const running = Promise.all(workers.map((worker) => worker.run()));
    sayReady(env.PDLC_READY_FILE, build);
    await running;
    nursery.close();
    await connection.close();
  } catch (error) {
    fail(`worker: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

function sayReady(file: string | undefined, build: string): void {
  const self = readIdentity(process.pid);
  if (file && self) writeReadyFile(file, { pid: self.pid, startTime: self.startTime, build });
}

function buildId(): string {
  const { build } = JSON.parse(readFileSync(new URL('../build.json', import.meta.url), 'utf8')) as { build: string }; // written by our own build
  return build;
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
