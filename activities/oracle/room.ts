// Owns the room of a judgement: a clean checkout of one commit, with files put back or taken out as the stage's contract asks, and dependencies of its own.
import { makeRoom } from '../git/room.js';
import { removeTree } from '../host/files.js';
import type { CheckPlace } from './check.js';
import { type SetupEnd, setupRoom } from './setup.js';

/** What stands in a room: `commit`, then `restore.paths` as they are at `restore.commit`, without `drop`. `part` names this room in the act's records. */
export type RoomPlan = { commit: string; part: string; restore?: { commit: string; paths: string[] }; drop?: string[] };

/** Builds the slot's room anew and installs dependencies; nothing of an earlier room or of the agent's tree is left in it. */
export async function buildRoom(place: CheckPlace, plan: RoomPlan, setup: Parameters<typeof setupRoom>[1]['command']): Promise<SetupEnd> {
  const { host, paths, slot } = place;
  const { commit, part, restore, drop } = plan;
  await removeTree(slot.room);
  await makeRoom({ git: host.git, engineDir: paths.engine, commit, dir: slot.room, ...(restore ? { overlay: [restore] } : {}), ...(drop ? { drop } : {}) });
  return setupRoom(place, { command: setup, commit, part });
}
