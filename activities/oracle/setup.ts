// Owns installed dependencies: the setup command runs once per place and set of lockfiles; its products are kept as a layer and copied into later rooms.
// A room's layer never takes anything from the agent's tree.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from '../../machines/contract/config.js';
import { listTree } from '../git/lists.js';
import { readEnvironment, trustedEnvironment } from '../host/environment.js';
import { exists, removeTree } from '../host/files.js';
import type { CheckPlace } from './check.js';
import { tokenOf } from './check.js';
import { type CommandEnd, runCommand } from './command.js';
import { isDependencyPath, isLockfile } from './tables.js';

/** Layers kept per room slot; the oldest goes first. */
const layersMax = 3;

/** Setup worked (or there is none), or it did not: `reason` in words and the end of its output. */
export type SetupEnd = { ok: true } | { ok: false; reason: string; tail: string };

/** One setup: at which commit, in which folder, and under which part of the act it is recorded. */
export type SetupRequest = { command: Command | null; commit: string; part: string };

/** Installs dependencies into the slot's room, from its layer when the lockfiles did not change. */
export async function setupRoom(place: CheckPlace, request: SetupRequest): Promise<SetupEnd> {
  const { command, commit, part } = request;
  if (!command) return { ok: true };
  const layer = join(place.slot.layers, await setupDigest(place, command, commit));
  if (!(await exists(layer))) {
    const end = await runSetup(place, { ...request, command }, place.slot.room);
    if (!end.ok) return end;
    await keepLayer(place, layer, part);
  }
  await copyLayer(layer, place.slot.room);
  return { ok: true };
}

/** Runs the setup command in the agent's tree unless it ran there for the same lockfiles; `marker` remembers that, outside the tree. */
export async function setupTree(place: CheckPlace, request: SetupRequest & { tree: string; marker: string }): Promise<SetupEnd> {
  const { command, commit, tree, marker } = request;
  if (!command) return { ok: true };
  const digest = await setupDigest(place, command, commit);
  if ((await readFile(marker, 'utf8').catch(() => '')) === digest) return { ok: true };
  const end = await runSetup(place, { ...request, command }, tree);
  if (end.ok) await writeFile(marker, digest, { mode: 0o600 });
  return end;
}

/** The control directory of one setup of an act. */
export function setupDir({ act, paths }: CheckPlace, part: string): string {
  return paths.attempt(act.id, `${part}-setup`);
}

async function runSetup(place: CheckPlace, { command, part }: SetupRequest & { command: Command }, cwd: string): Promise<SetupEnd> {
  const { host, act, paths, files } = place;
  const id = `${part}-setup`;
  const env = trustedEnvironment(readEnvironment(files), command.env);
  const end = await runCommand(host, { command, dir: setupDir(place, part), token: tokenOf(paths, act, id), cwd, env, label: 'setup' }, act);
  return end.exit.kind === 'exited' && end.exit.exitCode === 0
    ? { ok: true }
    : { ok: false, reason: `setup (${command.run}) ${describeEnd(end)}`, tail: end.tail };
}

function describeEnd({ exit }: CommandEnd): string {
  if (exit.kind === 'exited') return `exited with ${exit.exitCode}`;
  return exit.kind === 'signalled' ? `was ended by signal ${exit.signal}` : exit.kind.replace('_', ' ');
}

async function setupDigest({ host, paths }: CheckPlace, command: Command, commit: string): Promise<string> {
  const entries = [...(await listTree(host.git, paths.engine, commit))];
  const locks = entries.filter(([path]) => isLockfile(path));
  const deciding = locks.length > 0 ? locks : entries.filter(([path]) => isDependencyPath(path) || path.endsWith('package.json'));
  const text = JSON.stringify([command.run, command.env, deciding.map(([path, { id }]) => [path, id])]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Safe to repeat because what is moved aside bears the name of its setup: a repeat moves the rest there too, where starting anew would lose what was moved. */
async function keepLayer(place: CheckPlace, layer: string, part: string): Promise<void> {
  const { host, slot } = place;
  const { stdout } = await host.git(['ls-files', '--others', '--directory', '-z'], { gitDir: join(slot.room, '.git'), workTree: slot.room, cwd: slot.room });
  const next = join(slot.layers, `${createHash('sha256').update(setupDir(place, part)).digest('hex').slice(0, 32)}.next`);
  await mkdir(next, { recursive: true, mode: 0o700 });
  for (const path of stdout.split('\0').filter((path) => path !== '')) {
    await mkdir(dirname(join(next, path)), { recursive: true });
    await rename(join(slot.room, path), join(next, path.replace(/\/$/, '')));
  }
  await dropOldLayers(slot.layers, basename(next));
  await rename(next, layer);
}

/** Also what another setup had moved aside and never finished: the slot is this one's now. */
async function dropOldLayers(layers: string, next: string): Promise<void> {
  const found = (await readdir(layers)).filter((name) => name !== next);
  for (const name of found.filter((name) => name.endsWith('.next'))) await removeTree(join(layers, name));
  const names = found.filter((name) => !name.endsWith('.next'));
  const aged = await Promise.all(names.map(async (name) => ({ name, changedMs: (await stat(join(layers, name))).mtimeMs })));
  const old = aged.sort((a, b) => b.changedMs - a.changedMs).slice(layersMax - 1);
  await Promise.all(old.map(({ name }) => removeTree(join(layers, name))));
}

async function copyLayer(layer: string, room: string): Promise<void> {
  const names = await readdir(layer);
  if (names.length === 0) return;
  try {
    // cp clones blocks where the file system can and keeps links and modes; Node's own copy is several times slower on large trees.
    await promisify(execFile)('cp', ['-R', '-p', '-P', '--', `${layer}/.`, room]);
  } catch {
    for (const name of names) {
      await rm(join(room, name), { recursive: true, force: true });
      await cp(join(layer, name), join(room, name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    }
  }
}
