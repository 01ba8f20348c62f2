// Owns finding a server of this PDLC_HOME that stack.json does not know: its record was lost, or its starter died before it could write.
// Never takes a server for ours that does not have our database open.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type ProcessIdentity, readIdentity } from '../../activities/process/identity.js';
import { databasesIn, type StackPaths } from './paths.js';
import type { StackRecord } from './record.js';

const psMsMax = 5_000;
const psBytesMax = 20_000_000;

/** What stack.json would say of it. */
export type FoundServer = { ports: StackRecord['ports']; server: NonNullable<StackRecord['server']> };

/** The live server on a database of this stack, whoever started it, or null; looks through all processes, so it is asked only when the known one is gone. */
export function findServer(paths: StackPaths): FoundServer | null {
  if (!existsSync(paths.folder) || databasesIn(paths).length === 0) return null;
  for (const { pid, command } of processes()) {
    const server = readCommand(paths, command);
    const identity = server && readIdentity(pid);
    if (server && identity) return withIdentity(server, identity);
  }
  return null;
}

type Read = { binary: string; database: string; version: string; server: number; ui: number };

/** Reads the command line that `server.ts` gives a server, its words joined by spaces. */
function readCommand({ folder }: StackPaths, command: string): Read | null {
  const [, binary, database, server, ui] = /^(.+) server start-dev --db-filename (.+) --log-level .* --port (\d+) --ui-port (\d+) /.exec(command) ?? [];
  const prefix = `${folder}/temporal-`;
  if (!binary || !database?.startsWith(prefix) || !database.endsWith('.db')) return null;
  return { binary, database, version: database.slice(prefix.length, -'.db'.length), server: Number(server), ui: Number(ui) };
}

function withIdentity({ binary, database, version, server, ui }: Read, identity: ProcessIdentity): FoundServer {
  return { ports: { server, ui }, server: { identity, binary, version, database, ready: false } };
}

function processes(): { pid: number; command: string }[] {
  if (!existsSync('/proc/self/cmdline')) return fromPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandLine(name) }));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // gone meanwhile, or hidden from us
  }
}

function fromPs(): { pid: number; command: string }[] {
  const list = execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8', timeout: psMsMax, maxBuffer: psBytesMax });
  return list.split('\n').map((line) => {
    const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command: command ?? '' };
  });
}
