// Owns where the local stack keeps its files under PDLC_HOME.
// Never writes anything.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Version of the Temporal CLI that is fetched when the machine has none of its own. */
export const pinnedVersion = '1.9.1';

/** Absolute paths of everything the local stack writes, all below one PDLC_HOME. */
export interface StackPaths {
  home: string;
  folder: string;
  record: string;
  lock: string;
  serverLog: string;
  workerLog: string;
  workerReady: string;
  binFolder: string;
  cachedBinary: string;
  cachedDigest: string;
}

/** The paths of the local stack of one PDLC_HOME, which must be absolute. */
export function stackPaths(home: string): StackPaths {
  const folder = join(home, 'stack');
  const binFolder = join(home, 'bin');
  return {
    home,
    folder,
    record: join(folder, 'stack.json'),
    lock: join(folder, 'stack.lock'),
    serverLog: join(folder, 'server.log'),
    workerLog: join(folder, 'worker.log'),
    workerReady: join(folder, 'worker.ready.json'),
    binFolder,
    cachedBinary: join(binFolder, `temporal-${pinnedVersion}`),
    cachedDigest: join(binFolder, `temporal-${pinnedVersion}.sha256`),
  };
}

/** The database of one server version: a version may not open the file of another. */
export function databasePath(paths: StackPaths, version: string): string {
  return join(paths.folder, `temporal-${version}.db`);
}

/** The names of all databases that servers of any version have left in this stack. */
export function databasesIn(paths: StackPaths): string[] {
  return readdirSync(paths.folder).filter((name) => /^temporal-.*\.db$/.test(name));
}
