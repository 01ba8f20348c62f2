// Owns the room of a judgement: a clean checkout of one commit, with files put back or taken out as the stage's contract asks, and dependencies of its own.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '../../machines/contract/config.js';
import { makeRoom } from '../git/room.js';
import { readIfPresent, removeTree } from '../host/files.js';
import { isIntended, setAside } from '../process/control-dir.js';
import type { CheckPlace } from './check.js';
import { type SetupEnd, setupDir, setupRoom } from './setup.js';

/** What stands in a room: `commit`, then `restore.paths` as they are at `restore.commit`, without `drop`. `part` names this room in the act's records. */
export type RoomPlan = { commit: string; part: string; restore?: { commit: string; paths: string[] }; drop?: string[] };

/** Builds the slot's room anew and installs dependencies; nothing of an earlier room or of the agent's tree is left in it. A room that this act built before stays: a check may be at work in it. */
export async function buildRoom(place: CheckPlace, plan: RoomPlan, setup: Command | null): Promise<SetupEnd> {
  const { paths, act, slot } = place;
  const mark = join(slot.dir, 'room.of');
  const mine = `${paths.dir} ${act.id} ${plan.part}`;
  const checkedOut = `${mine} checked out`;
  const found = await readIfPresent(mark);
  if (found === mine) return { ok: true };
  if (found !== checkedOut) {
    await rm(mark, { force: true });
    await checkOutRoom(place, plan);
    await writeFile(mark, checkedOut, { mode: 0o600 });
  }
  const end = await setupRoom(place, { command: setup, commit: plan.commit, part: plan.part });
  if (end.ok) await writeFile(mark, mine, { mode: 0o600 });
  return end;
}

async function checkOutRoom(place: CheckPlace, { commit, part, restore, drop }: RoomPlan): Promise<void> {
  const { host, paths, slot } = place;
  // A setup that ran before ran in another room: this act lost that one's slot when it failed, or has built its next room there since.
  if (await isIntended(setupDir(place, part))) await setAside(setupDir(place, part));
  await removeTree(slot.room);
  await makeRoom({ git: host.git, engineDir: paths.engine, commit, dir: slot.room, ...(restore ? { overlay: [restore] } : {}), ...(drop ? { drop } : {}) });
}
