// The status command: where a feature's run is, from the run itself if a worker answers, else from its ledger on this host.
import { type Report, reportOf } from '../../machines/contract/report.js';
import { isFinal } from '../../machines/contract/run-state.js';
import { nextOf, nextToken } from '../../machines/contract/state-file.js';
import { connect, knownPage, type Server } from '../connect.js';
import type { Context } from '../context.js';
import { CliError } from '../error.js';
import { findFailing } from '../failing.js';
import { type Feature, findFeature, untrackedState } from '../feature.js';
import { readPending } from '../pending.js';
import { statusLines } from '../render.js';
import { findRun, readLiveReport, uiUrlOf } from '../run-handle.js';
import { reportWithoutRun, runJson } from '../run-json.js';
import { damageOf, type LatestLedger, latestLedger } from '../runs-on-disk.js';

/** Prints the status in any state; exits 0 when there is something to say. */
export async function status(context: Context, id: string, { json }: { json: boolean }): Promise<number> {
  const feature = await findFeature(context, id);
  const { report, uiUrl, note, damage } = await readStatus(context, feature);
  if (note) context.err(note);
  const around = { uiUrl, inTheWay: report ? await untrackedState(context, report) : null, damage };
  if (json) context.out(JSON.stringify(report ? runJson(report, around) : notStarted(feature)));
  else
    context.out(
      (report ? statusLines(report, around) : [`${id}: no run yet; next is ${nextToken(nextOf(feature.state))}`, `  next: pdlc loop-run ${id}`]).join('\n'),
    );
  return 0;
}

/** `damage` is what is wrong with the ledger on this host, or null. */
type Status = { report: Report | null; uiUrl: string | null; note: string | null; damage: string | null };

async function readStatus(context: Context, feature: Feature): Promise<Status> {
  const ledger = await latestLedger(context.home, { project: feature.repo.project, id: feature.id });
  const fromLedger = ledger ? reportOf(ledger.entries) : null;
  // A run that is over does not change any more; its ledger on this host says all, if nothing is wrong with it.
  if (ledger?.problem === null && fromLedger && isFinal(fromLedger.state))
    return { report: fromLedger, uiUrl: knownPage(context, fromLedger.workflowId), note: null, damage: null };
  const live = await fromServer(context, feature, (fromLedger?.seq ?? 0) > 0);
  if (live && 'report' in live) return { ...live, damage: ledger && damageOf(ledger, live.report) };
  return offline(context, { feature, ledger, why: live?.problem ?? 'no worker answers' });
}

/** The status as far as this host knows it; `why` the run itself does not tell. */
function offline(context: Context, { feature, ledger, why }: { feature: Feature; ledger: LatestLedger | null; why: string }): Status {
  const damage = ledger && damageOf(ledger);
  const report = ledger && ledger.entries.length > 0 ? reportOf(ledger.entries) : null;
  if (report)
    return {
      report: damage ? ofUnknownCost(report) : report,
      uiUrl: knownPage(context, report.workflowId),
      note: `${why}; this is what ${damage ? 'can still be read of the damaged ledger' : 'the ledger'} on this host holds, the run may be further`,
      damage,
    };
  if (damage) return { report: ofUnknownCost(reportWithoutRun(feature, unreadable)), uiUrl: null, note: null, damage };
  const note = ledger ? `${ledger.file}: ${ledger.problem}; the run has not written yet, or its ledger is lost; ${why}` : null;
  const next = nextOf(feature.state);
  if (next.kind === 'stage') return { report: null, uiUrl: null, note, damage };
  const end = next.kind === 'done' ? ({ state: 'review_done', reason: null } as const) : ({ state: 'blocked', reason: next.reason } as const);
  return { report: reportWithoutRun(feature, end), uiUrl: null, note, damage };
}

/** Also where the branch says that the feature is done: whether that was verified stands in the ledger. */
const unreadable = { state: 'blocked', reason: 'nothing can be read of the latest run: its ledger is damaged and no worker answers' } as const;

/** What was spent after the damage is not known, and unknown is not nothing. */
function ofUnknownCost(report: Report): Report {
  return { ...report, usage: { ...report.usage, usd: null, tokens: null } };
}

/** The status by the run itself, or why it cannot give one (null: nobody knows). */
async function fromServer(context: Context, feature: Feature, seen: boolean): Promise<Omit<Status, 'damage'> | { problem: string } | null> {
  let server: Server;
  try {
    server = await connect(context);
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
  try {
    const run = await findRun(server, feature.repo.project, feature.id);
    const report = run && (await readLiveReport(server, run));
    if (report) return { report: { ...report, reason: report.reason ?? (await readPending(run)).trouble }, uiUrl: uiUrlOf(server, run.workflowId), note: null };
    const failing = run?.isOpen ? await findFailing(server, run) : null;
    // Open, but nothing is known of it yet: no worker has answered, and none has written.
    return run?.isOpen && !seen
      ? { report: unread(feature, run.workflowId), uiUrl: uiUrlOf(server, run.workflowId), note: failing?.problem ?? 'the run is open, but no worker answers' }
      : failing;
  } finally {
    await server.close();
  }
}

function unread(feature: Feature, workflowId: string): Report {
  return { ...reportWithoutRun(feature, { state: 'blocked', reason: null }), workflowId, state: 'deciding' };
}

function notStarted(feature: Feature): object {
  const empty = runJson(reportWithoutRun(feature, { state: 'blocked', reason: null }), { uiUrl: null, inTheWay: null });
  return { ...empty, workflowId: null, state: null, sentinel: null, exitCode: 0, next: [`pdlc loop-run ${feature.id}`] };
}
