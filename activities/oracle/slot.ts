// Owns room slots: places in which rooms are built, one user at a time, at paths that stay the same, since installed dependencies may hold absolute paths.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { exists } from '../git/skeleton.js';
import type { Act } from '../host/act.js';
import { readIfPresent, writeOnce } from '../host/files.js';
import type { RunPaths } from '../host/paths.js';

/** Most runs of one project that judge at the same time on one host. */
const slotsMax = 64;

/** One slot: `room` is where the clean checkout stands, `copy` where an evaluator reads, `home` and `temp` belong to one check at a time, `layers` keeps installed dependencies. */
export type RoomSlot = { dir: string; room: string; copy: string; home: string; temp: string; layers: string };

/** Uses a slot for one run; it stays taken when only the worker goes away, because processes may still be at work in it. */
export async function withSlot<T>(paths: RunPaths, act: Act, use: (slot: RoomSlot) => Promise<T>): Promise<T> {
  const { slot, owner } = await claim(paths);
  try {
    return await use(slot);
  } finally {
    if (!act.signal.aborted) await rm(owner, { force: true });
  }
}

/** Gives back every slot that a run still holds. */
export async function releaseSlots(paths: RunPaths): Promise<void> {
  const names = (await exists(paths.rooms)) ? await readdir(paths.rooms) : [];
  for (const name of names.filter((name) => name.endsWith('.owner'))) {
    const owner = join(paths.rooms, name);
    if ((await readIfPresent(owner)) === paths.dir) await rm(owner, { force: true });
  }
}

async function claim(paths: RunPaths): Promise<{ slot: RoomSlot; owner: string }> {
  await mkdir(paths.rooms, { recursive: true, mode: 0o700 });
  for (let index = 0; index < slotsMax; index += 1) {
    const owner = ownerFile(paths, index);
    // Whole or not at all: an owner that a full disk left empty would take the slot for ever.
    if ((await writeOnce(owner, paths.dir)) || (await readIfPresent(owner)) === paths.dir)
      return { slot: await openSlot(join(paths.rooms, String(index))), owner };
  }
  throw new PdlcError('process_failed', `${paths.rooms}: all ${slotsMax} room slots are taken; runs of this project wait for one`);
}

async function openSlot(dir: string): Promise<RoomSlot> {
  const slot = { dir, room: join(dir, 'room'), copy: join(dir, 'copy'), home: join(dir, 'home'), temp: join(dir, 'temp'), layers: join(dir, 'layers') };
  await mkdir(slot.layers, { recursive: true, mode: 0o700 });
  return slot;
}

function ownerFile(paths: RunPaths, index: number): string {
  return join(paths.rooms, `${index}.owner`);
}
