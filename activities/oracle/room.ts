// Owns the room of a judgement: a clean checkout of one commit, with files put back or taken out as the stage's contract asks, and dependencies of its own.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '../../machines/contract/config.js';
import { makeRoom } from '../git/room.js';
import { removeTree } from '../host/files.js';
import { isIntended } from '../process/control-dir.js';
import type { CheckPlace } from './check.js';
import { type SetupEnd, setupDir, setupRoom } from './setup.js';

/** What stands in a room: `commit`, then `restore.paths` as they are at `restore.commit`, without `drop`. `part` names this room in the act's records. */
export type RoomPlan = { commit: string; part: string; restore?: { commit: string; paths: string[] }; drop?: string[] };

/** Builds the slot's room anew and installs dependencies; nothing of an earlier room or of the agent's tree is left in it. A room that this act built before stays: a check may be at work in it. */
export async function buildRoom(place: CheckPlace, plan: RoomPlan, setup: Command | null): Promise<SetupEnd> {
  const { paths, act, slot } = place;
  const mark = join(slot.dir, 'room.of');
  const mine = `${paths.dir} ${act.id} ${plan.part}`;
  if ((await readFile(mark, 'utf8').catch(() => null)) === mine) return { ok: true };
  await rm(mark, { force: true });
  if (!(await isIntended(setupDir(place, plan.part)))) await checkOutRoom(place, plan);
  const end = await setupRoom(place, { command: setup, commit: plan.commit, part: plan.part });
  if (end.ok) await writeFile(mark, mine, { mode: 0o600 });
  return end;
}

async function checkOutRoom({ host, paths, slot }: CheckPlace, { commit, restore, drop }: RoomPlan): Promise<void> {
  await removeTree(slot.room);
  await makeRoom({ git: host.git, engineDir: paths.engine, commit, dir: slot.room, ...(restore ? { overlay: [restore] } : {}), ...(drop ? { drop } : {}) });
}
