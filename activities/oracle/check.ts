// Owns running one configured check in a room and classifying its end. It never reads a verdict out of what a check prints.
import type { CheckResult } from '../../machines/contract/check.js';
import type { Command } from '../../machines/contract/config.js';
import type { Act } from '../host/act.js';
import { checkEnvironment, readEnvironment } from '../host/environment.js';
import { freshDir } from '../host/files.js';
import type { Host } from '../host/host.js';
import type { RunPaths } from '../host/paths.js';
import { isIntended } from '../process/control-dir.js';
import { type CommandEnd, runCommand } from './command.js';
import type { RoomSlot } from './slot.js';
import { countTests } from './test-count.js';

/** Where checks of one act run; `files` is the run's folder with the saved environment. */
export type CheckPlace = { host: Host; act: Act; paths: RunPaths; slot: RoomSlot; files: string };

/** One check to run in the slot's room; `part` tells the runs of the same check within one act apart. */
export type CheckRequest = { name: string; part: string; command: Command };

/** Runs a check with a home and temp folder of its own and no process of the agent alive; its result's `name` is the check's name, with the part where it is not the candidate. */
export async function runCheck({ host, act, paths, slot, files }: CheckPlace, { name, part, command }: CheckRequest): Promise<CheckResult> {
  const id = `${part}-${name}`;
  const dir = checkDir({ act, paths }, { part, name });
  if (!(await isIntended(dir))) await Promise.all([freshDir(slot.home), freshDir(slot.temp)]);
  const env = checkEnvironment(readEnvironment(files), { home: slot.home, temp: slot.temp }, command.env);
  const end = await runCommand(host, { command, dir, token: tokenOf(paths, act, id), cwd: slot.room, env, label: `check ${name}` }, act);
  return classify(part === 'candidate' ? name : `${name} (${part})`, end);
}

/** The control directory of one check of an act. */
export function checkDir({ act, paths }: Pick<CheckPlace, 'act' | 'paths'>, { part, name }: Pick<CheckRequest, 'part' | 'name'>): string {
  return paths.attempt(act.id, `${part}-${name}`);
}

/** The mark of the processes of one part of an act. */
export function tokenOf(paths: RunPaths, act: Act, part: string): string {
  return `${paths.dir.split('/').at(-1)}.${act.id}.${part}`.replaceAll(/[^A-Za-z0-9._:/@+-]/g, '_').slice(-200);
}

function classify(name: string, { exit, tail, longTail, durationMs }: CommandEnd): CheckResult {
  const facts = { name, tail, durationMs, tests: countTests(longTail) };
  if (exit.kind !== 'exited') return exit.kind === 'signalled' ? { kind: 'signalled', signal: exit.signal, ...facts } : { kind: exit.kind, ...facts };
  const { exitCode } = exit;
  if (exitCode === 0) return { kind: 'passed', ...facts };
  if (exitCode === 124) return { kind: 'timed_out', ...facts };
  if (exitCode === 126 || exitCode === 127) return { kind: 'not_run', exitCode, ...facts };
  return { kind: 'failed', exitCode, ...facts };
}
