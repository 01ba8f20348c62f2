// Owns the Temporal dev server of the local stack: its command line, and that exactly one serves the database.
// Never listens beyond loopback, and never deletes or rewrites a database.
import { isAlive, type ProcessIdentity } from '../../activities/process/identity.js';
import { type DetachedCommand, logTail, startDetached } from './detached.js';
import { StackError } from './error.js';
import { namespaceName, searchAttributes } from './namespace.js';
import { databasePath, type StackPaths } from './paths.js';
import { accepts } from './ports.js';
import type { StackPorts } from './record.js';
import { waitUntil } from './wait.js';

const portMsMax = 20_000;

/** How long a server that is to be replaced may take to end, in ms. */
export const serverGraceMs = 5_000;

// One history shard reads its queues 20 times a second by default, which makes every task of a busy run wait 40 ms; this costs nothing while it is idle.
const quick = ['history.transferProcessorMaxPollRPS=2000', 'history.transferProcessorMaxPollHostRPS=5000', 'history.timerProcessorMaxPollRPS=2000'];
// Four partitions of every task queue, and the list of namespaces read every 2 s by each of four services, are most of what an idle server does.
const still = ['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1', 'system.namespaceCacheRefreshInterval="10s"'];

// The exclusive lock makes a second server on the same file refuse to start; full sync survives a power cut.
const pragmas = ['locking_mode=exclusive', 'journal_mode=wal', 'synchronous=full'];

/** What a server is started with. */
export interface ServerStart {
  paths: StackPaths;
  ports: StackPorts;
  binary: { path: string; version: string };
}

/** The detached command of the dev server; a small environment of its own, so that no TEMPORAL_* setting reaches it. */
function serverCommand({ paths, ports, binary }: ServerStart): DetachedCommand {
  const repeated = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  return {
    command: binary.path,
    args: [
      ...['server', 'start-dev', '--db-filename', databasePath(paths, binary.version), '--log-level', 'warn'],
      ...['--ip', '127.0.0.1', '--port', `${ports.server}`, '--ui-port', `${ports.ui}`, '--namespace', namespaceName],
      ...repeated(
        '--search-attribute',
        searchAttributes.map((name) => `${name}=Keyword`),
      ),
      ...repeated('--dynamic-config-value', [...quick, ...still]),
      ...repeated('--sqlite-pragma', pragmas),
    ],
    cwd: paths.folder,
    env: { PATH: '/usr/bin:/bin', HOME: paths.folder },
    log: paths.serverLog,
  };
}

/** Starts the server; null when its process did not start. Whether it serves is for `portOpens`. */
export function startServer(start: ServerStart): ProcessIdentity | null {
  return startDetached(serverCommand(start));
}

/** True once the server accepts connections; false when it ended first or 20 s passed. */
export async function portOpens(identity: ProcessIdentity, port: number): Promise<boolean> {
  let open = false;
  await waitUntil(async () => {
    open = isAlive(identity) && (await accepts(port));
    return open || !isAlive(identity);
  }, portMsMax);
  return open;
}

/** The error for people: what was expected of the server, what was found, the end of its log, and what to do. */
export function serverFailed(paths: StackPaths, found: string): StackError {
  const message = [
    `The Temporal server did not become usable: expected it within ${portMsMax} ms, found: ${found}.`,
    logTail(paths.serverLog),
    `Whole log: ${paths.serverLog}`,
    `If it says that the database is locked, see who holds it: fuser '${paths.folder}'/*.db`,
    `If the database is damaged, put it aside, and the open runs in it: mkdir '${paths.folder}/aside' && mv '${paths.folder}'/*.db* '${paths.folder}/aside'`,
    'Then run: pdlc up',
  ];
  return new StackError('server_failed', message.join('\n'));
}
