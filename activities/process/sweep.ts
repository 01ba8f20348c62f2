// Kills every process of an attempt, found by its marks, wherever it has fled.
// Must never kill the engine itself, nor a pid that another process has taken over since it was looked at.

import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../host/files.js';
import type { StartRecord } from './control-dir.js';
import { endGroup, groupOf } from './group.js';
import { isOfThisBoot } from './identity.js';
import { isMarked } from './mark.js';
import { hasProc, type ProcStat, readStat, ticksPerSecond } from './proc.js';

/** What a sweep did. `clean`: proven that nothing is left. By `group` (no /proc) nothing can be searched for, so nothing is proven. */
export type SweepReport = { method: 'environ'; killed: number; clean: boolean } | { method: 'group'; killed: 0; clean: false };

type Row = ProcStat & { isMarked: boolean };

const roundsMax = 60;
/** After the first look only newcomers are read, so that more looks cost little; what forks and ends all the time is missed by one easily. */
const cleanRoundsNeeded = 10;
const pauseMs = 15;
const readsAtOnce = 64;
/** A supervisor that lost the race for its start record may be older than the one that won it, by less than this, in clock ticks. */
const raceTicks = ticksPerSecond;

/** What else is known of an attempt: its start record, before which none of its processes began (null: not known), processes of it that were seen,
 *  and its control group (without: the one that this engine would have made). */
export type Traces = { started?: StartRecord | null; known?: readonly ProcStat[]; group?: string | null };

/** SIGKILLs what carries the token, its descendants, `known` processes that still live and all in the group, until ten looks in a row find nothing. */
export async function sweep(token: string, traces: Traces = {}): Promise<SweepReport> {
  if (!hasProc) return { method: 'group', killed: 0, clean: false };
  const killed = new Set<string>();
  const group = traces.group ?? groupOf(token);
  let cleanRounds = 0;
  let strangers = new Set<number>();
  for (let round = 0; round < roundsMax && cleanRounds < cleanRoundsNeeded; round += 1) {
    // Right after a look that found nobody only a newcomer can belong: the mark comes by birth.
    const { members, looked } = await lookFor(token, traces, strangers);
    const groups = new Set<number>();
    for (const member of members) if (groups.has(member.group) || killWithGroup(member, groups)) killed.add(keyOf(member));
    const isClean = (group === null || endGroup(group)) && members.length === 0;
    strangers = isClean ? new Set([...strangers, ...looked]) : new Set();
    cleanRounds = isClean ? cleanRounds + 1 : 0;
    if (!isClean) await sleep(pauseMs);
  }
  return { method: 'environ', killed: killed.size, clean: cleanRounds === cleanRoundsNeeded };
}

/** Every live process of an attempt: those that carry the token or are `known`, and what descends from them or is in a
 *  session that one of them leads, because some programs hide or filter their environment. Empty where /proc is absent. */
export async function membersOf(token: string, traces: Traces = {}): Promise<ProcStat[]> {
  return (await lookFor(token, traces, new Set())).members;
}

type Looked = { members: ProcStat[]; looked: number[] };

async function lookFor(token: string, { started, known = [] }: Traces, except: ReadonlySet<number>): Promise<Looked> {
  const knownKeys = new Set(known.map(keyOf));
  const sinceTicks = started && isOfThisBoot(started) ? Number(started.supervisor.startTime) - raceTicks : 0;
  // Synchronous, as are stat and limits: what lives for a millisecond only must be read before it is gone.
  const pids = hasProc
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .filter((pid) => !except.has(pid))
    : [];
  let others = await readTable(pids, { token, sinceTicks });
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

/** The mark that is looked for; a process older than `sinceTicks` cannot carry it, since the mark comes by birth. */
type Mark = { token: string; sinceTicks: number };

async function readTable(pids: readonly number[], mark: Mark): Promise<Row[]> {
  const rows: (Row | null)[] = [];
  for (let first = 0; first < pids.length; first += readsAtOnce) {
    rows.push(...(await Promise.all(pids.slice(first, first + readsAtOnce).map((pid) => readRow(pid, mark)))));
  }
  return rows.filter((row) => row !== null);
}

async function readRow(pid: number, { token, sinceTicks }: Mark): Promise<Row | null> {
  const stat = readStat(pid);
  if (stat === null || stat.state === 'Z' || stat.state === 'X' || pid === process.pid) return null;
  return { ...stat, isMarked: Number(stat.startTime) >= sinceTicks && (await isMarked(pid, token)) };
}

/** Signals the group and not the process alone, because the kernel does that at one stroke: no child is born meanwhile, and the group may go on
 *  when the process that was seen is gone. A session that is not the engine's own was opened by the attempt, so all in it are the attempt's;
 *  numbers are handed out in turn, so that of a group seen a moment ago is nobody else's yet. Adds the group to those that are done. */
function killWithGroup(member: ProcStat, done: Set<number>): boolean {
  const isGroupOurs = member.group > 1 && member.session > 1 && member.session !== readStat(process.pid)?.session;
  const now = readStat(member.pid);
  if (!isGroupOurs && (now === null || keyOf(now) !== keyOf(member))) return false;
  try {
    process.kill(isGroupOurs ? -member.group : member.pid, 'SIGKILL');
  } catch (error) {
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
  if (isGroupOurs) done.add(member.group);
  return true;
}

function keyOf({ pid, startTime }: ProcStat): string {
  return `${pid} ${startTime}`;
}
