// The history command: every fact of a feature's latest run, from its ledger on this host.
import type { LedgerEntry } from '../../machines/contract/ledger.js';
import type { Context } from '../context.js';
import { findFeature } from '../feature.js';
import { plain, seconds } from '../render.js';
import { latestLedger } from '../runs-on-disk.js';

/** Prints the ledger, one fact a line, or one JSON object. A damaged ledger is said, and what is sound before the damage is shown. */
export async function history(context: Context, id: string, { json }: { json: boolean }): Promise<number> {
  const feature = await findFeature(context, id);
  const ledger = await latestLedger(context.home, { project: feature.repo.project, id });
  const entries = ledger?.entries ?? [];
  if (json) context.out(JSON.stringify({ schema: 'pdlc.history/1', featureId: id, file: ledger?.file ?? null, problem: ledger?.problem ?? null, entries }));
  else if (entries.length === 0) context.out(`${id}: ${ledger ? 'no fact can be read' : 'no run on this host yet'}`);
  else context.out(entries.map(lineOf).join('\n'));
  if (ledger?.problem) context.err(`${ledger.file}: ${ledger.problem}; ask the run's history with: pdlc state rebuild ${id}`);
  return ledger?.problem ? 1 : 0;
}

function lineOf(entry: LedgerEntry): string {
  const place = 'step' in entry ? ` ${entry.step} ${entry.stage}` : '';
  return `${entry.at}${place} ${entry.kind}${plain(detailOf(entry)).replace(/^(?=.)/, ': ')}`;
}

function detailOf(entry: LedgerEntry): string {
  switch (entry.kind) {
    case 'run.started':
      return `base ${entry.base.slice(0, 10)}, ${entry.configSource}`;
    case 'ground.proved':
      return entry.ground.kind === 'failed' ? entry.ground.reason : entry.ground.kind;
    case 'attempt.ended':
      return `${entry.role} ${entry.outcome.kind} after ${seconds(entry.outcome.durationMs)}`;
    case 'work.captured':
      return `${entry.capture.commit.slice(0, 10)}, ${entry.capture.filesTotal} files${entry.capture.stateTamper ? ', state files were touched (ignored)' : ''}`;
    case 'verdict.reached':
      return `${entry.verdict.kind} by ${entry.verdict.gate}${entry.verdict.kind === 'pass' ? '' : `: ${entry.verdict.reason}`}`;
    case 'stage.settled':
      return entry.ok ? 'passed' : (entry.reason ?? 'stopped');
    case 'branch.moved':
      return entry.head.slice(0, 10);
    case 'person.acted':
      return `${entry.command} ${entry.accepted ? 'accepted' : 'refused'}: ${entry.detail}`;
    case 'infrastructure.failed':
      return `${entry.act}: ${entry.reason}`;
    case 'run.waiting':
    case 'run.ended':
      return `${entry.state}${entry.reason ? `: ${entry.reason}` : ''}`;
    default:
      return '';
  }
}
