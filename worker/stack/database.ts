// Owns the server's database file up to its first use: one that a server left half-made is begun anew.
// Never removes a database that a run may be in.
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Before a server is started on it: a new file is marked as such, and one that still is marked was never used and goes. No server may have it open. */
export function beginDatabase(database: string): void {
  if (existsSync(markOf(database))) for (const part of ['', '-wal', '-shm']) rmSync(`${database}${part}`, { force: true });
  else if (!existsSync(database)) writeFileSync(markOf(database), '', { mode: 0o600 });
}

/** Once its namespace answers, and before any run can be in it: from now on the file stays. */
export function keepDatabase(database: string): void {
  rmSync(markOf(database), { force: true });
}

/** A server that is killed in its first tenths of a second leaves tables missing, and no later one can use the file. */
const markOf = (database: string): string => `${database}.new`;
