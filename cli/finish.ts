// Owns how a command that followed a run ends: the summary and the sentinel on stdout, or exactly one JSON object; the exit code says the state.
import type { Report } from '../machines/contract/report.js';
import { exitCodeOf } from '../machines/contract/run-state.js';
import type { Context } from './context.js';
import { untrackedState } from './feature.js';
import { statusLines } from './render.js';
import { runJson, sentinelOf } from './run-json.js';

/** Prints the end of a run and returns the exit code. */
export async function finish(context: Context, report: Report, { json, uiUrl }: { json: boolean; uiUrl: string | null }): Promise<number> {
  const sentinel = sentinelOf(report);
  const around = { uiUrl, inTheWay: await untrackedState(context, report) };
  if (json) context.out(JSON.stringify(runJson(report, around)));
  else {
    context.out(statusLines(report, around).join('\n'));
    if (sentinel) context.out(sentinel);
  }
  if (report.state === 'review_done') context.err('Reviewed and verified. Whether to merge and ship it is for a person to decide.');
  return exitCodeOf(report.state);
}
