// The state rebuild command: makes a feature's ledger on this host what Temporal's history says that it is. Touches nothing of the repository.
import { runPaths } from '../../activities/host/paths.js';
import { readPast } from '../../activities/ledger/past.js';
import { type Rebuilt, rebuildLedger } from '../../activities/ledger/rebuild.js';
import { PdlcError } from '../../machines/contract/failure.js';
import { connect, type Server } from '../connect.js';
import type { Context } from '../context.js';
import { unavailable, usageError } from '../error.js';
import { checkFeatureId, openHere } from '../feature.js';
import { findRun } from '../run-handle.js';
import { damageOf, latestLedger } from '../runs-on-disk.js';

/** How long reading a run's whole history may take, in ms. */
const historyMsMax = 60_000;

/** Where the ledger of a feature's latest run lies, and what became of it. */
type Outcome = Rebuilt & { runKey: string | null; file: string | null };

/** Rebuilds, prints what was wrong and where the damaged file is kept; 69 when the server no longer has what is needed. */
export async function stateRebuild(context: Context, id: string, { json }: { json: boolean }): Promise<number> {
  checkFeatureId(id);
  const { project } = await openHere(context);
  const server = await connect(context);
  try {
    const outcome = await rebuild(context, { server, project, id });
    if (json) context.out(JSON.stringify({ schema: 'pdlc.rebuild/1', featureId: id, ...outcome }));
    else context.out(linesOf(id, outcome).join('\n'));
    return 0;
  } catch (error) {
    if (error instanceof PdlcError && error.kind === 'ledger_broken') throw unavailable(`${id}: ${error.message}`);
    throw error;
  } finally {
    await server.close();
  }
}

type Place = { server: Server; project: string; id: string };

async function rebuild(context: Context, { server, project, id }: Place): Promise<Outcome> {
  const run = await findRun(server, project, id);
  if (!run) throw unavailable(await forgotten(context, { project, id }));
  const past = () => server.client.withDeadline(Date.now() + historyMsMax, () => readPast(server.client, run));
  const known = await past();
  if (!known) return { entries: 0, problem: null, kept: null, runKey: null, file: null };
  const { runKey, hostId } = known;
  if (hostId !== server.hostId) throw usageError(`${id}: expected a run of this host, ${server.hostId}, found one of host ${hostId}; rebuild it there`);
  const file = runPaths(context.home, { project, featureId: id, runKey }).ledger;
  return { ...(await rebuildLedger({ file, runKey, past })), runKey, file };
}

async function forgotten({ home }: Context, { project, id }: Omit<Place, 'server'>): Promise<string> {
  const ledger = await latestLedger(home, { project, id });
  const here = ledger ? (damageOf(ledger) ?? `${ledger.file} is sound, ${ledger.entries.length} entries`) : 'there is no ledger on this host either';
  return `${id}: expected the server to know a run of it, found none (its history is gone, or it is another server); ${here}`;
}

function linesOf(id: string, { entries, file, problem, kept }: Outcome): string[] {
  if (!file) return [`${id}: the run has not handed anything to this host yet, so there is nothing to rebuild`];
  if (problem === null) return [`${id}: the ledger is what the run's history says, ${entries} entries; nothing was changed`, `  ${file}`];
  return [
    `${id}: the ledger was damaged and is written again from the run's history, ${entries} entries`,
    `  ${file}`,
    `  damage: ${problem}`,
    ...(kept ? [`  the damaged file is kept as ${kept}`] : []),
  ];
}
