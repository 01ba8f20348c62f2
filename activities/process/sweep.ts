// Kills every process of an attempt, found by the marker in its environment, wherever it has fled.
// Must never kill the engine itself, nor a pid that another process has taken over since it was looked at.

import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../host/files.js';
import { marker } from './launch.js';
import { hasProc, type ProcStat, readEnviron, readStat } from './proc.js';

/** What a sweep did. `clean`: proven that nothing is left. By `group` (no /proc) nothing can be searched for, so nothing is proven. */
export type SweepReport = { method: 'environ'; killed: number; clean: boolean } | { method: 'group'; killed: 0; clean: false };

type Row = ProcStat & { isMarked: boolean };

const roundsMax = 60;
const cleanRoundsNeeded = 2;
const pauseMs = 15;
const readsAtOnce = 64;

/** SIGKILLs what carries the token, its descendants, and `known` processes that still live, until two looks in a row find nothing. */
export async function sweep(token: string, known: readonly ProcStat[] = []): Promise<SweepReport> {
  if (!hasProc) return { method: 'group', killed: 0, clean: false };
  const killed = new Set<string>();
  let cleanRounds = 0;
  let strangers = new Set<number>();
  for (let round = 0; round < roundsMax && cleanRounds < cleanRoundsNeeded; round += 1) {
    // Right after a look that found nobody only a newcomer can belong: the mark comes by birth.
    const { members, looked } = await lookFor(token, { known, except: strangers });
    strangers = members.length === 0 ? new Set([...strangers, ...looked]) : new Set();
    cleanRounds = members.length === 0 ? cleanRounds + 1 : 0;
    for (const member of members) if (killExactly(member)) killed.add(keyOf(member));
    if (members.length > 0) await sleep(pauseMs);
  }
  return { method: 'environ', killed: killed.size, clean: cleanRounds === cleanRoundsNeeded };
}

/** Every live process of an attempt: those that carry the token or are `known`, and what descends from them or is in a
 *  session that one of them leads, because some programs hide or filter their environment. Empty where /proc is absent. */
export async function membersOf(token: string, known: readonly ProcStat[] = []): Promise<ProcStat[]> {
  return (await lookFor(token, { known, except: new Set() })).members;
}

type Look = { known: readonly ProcStat[]; except: ReadonlySet<number> };

async function lookFor(token: string, { known, except }: Look): Promise<{ members: ProcStat[]; looked: number[] }> {
  const knownKeys = new Set(known.map(keyOf));
  const pids = hasProc
    ? (await readdir('/proc'))
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .filter((pid) => !except.has(pid))
    : [];
  let others = await readTable(token, pids);
  const members = new Map<number, Row>();
  for (let found = -1; found !== members.size; ) {
    found = members.size;
    for (const row of others) {
      const belongs = row.isMarked || knownKeys.has(keyOf(row)) || members.has(row.parent) || members.has(row.session);
      if (belongs) members.set(row.pid, row);
    }
    others = others.filter((row) => !members.has(row.pid));
  }
  return { members: [...members.values()], looked: pids };
}

async function readTable(token: string, pids: readonly number[]): Promise<Row[]> {
  const rows: (Row | null)[] = [];
  for (let first = 0; first < pids.length; first += readsAtOnce) {
    rows.push(...(await Promise.all(pids.slice(first, first + readsAtOnce).map((pid) => readRow(pid, token)))));
  }
  return rows.filter((row) => row !== null);
}

async function readRow(pid: number, token: string): Promise<Row | null> {
  const stat = readStat(pid);
  if (stat === null || stat.state === 'Z' || stat.state === 'X' || pid === process.pid) return null;
  return { ...stat, isMarked: (await readEnviron(pid)).includes(`${marker}=${token}`) };
}

function killExactly(member: ProcStat): boolean {
  const now = readStat(member.pid);
  if (now === null || keyOf(now) !== keyOf(member)) return false;
  try {
    return process.kill(member.pid, 'SIGKILL');
  } catch (error) {
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
}

function keyOf({ pid, startTime }: ProcStat): string {
  return `${pid} ${startTime}`;
}
