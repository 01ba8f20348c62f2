// Owns the `pdlc.run/1` object that scripts read, and what a person may do next in each state. Pure.
import { emptyReport, type Report } from '../machines/contract/report.js';
import { exitCodeOf, type RunState } from '../machines/contract/run-state.js';
import { blockedSentinel, doneSentinel } from '../machines/contract/sentinel.js';
import type { Feature } from './feature.js';

/** The one object that `--json` prints for a run in any state. */
export type RunJson = Omit<Report, 'spend' | 'seq' | 'commands' | 'startedAt' | 'attempt'> & {
  sentinel: string | null;
  exitCode: number;
  uiUrl: string | null;
  damage: string | null;
  next: string[];
};

/** What is known around a run: its page in the web UI, the untracked state file that `new` made and that a merge would trip over (null: none), and what is wrong with its ledger on this host (null or absent: nothing is known to be). */
export type Surroundings = { uiUrl: string | null; inTheWay: string | null; damage?: string | null };

/** Builds the object. */
export function runJson(report: Report, around: Surroundings): RunJson {
  const { uiUrl, damage = null } = around;
  const { spend: _s, seq: _q, commands: _c, startedAt: _t, attempt: _a, ...shown } = report;
  return { ...shown, sentinel: sentinelOf(report), exitCode: exitCodeOf(report.state), uiUrl, damage, next: nextCommands(report, around) };
}

/** The report of a feature that needed no run: it is done already, or blocked before one could begin. */
export function reportWithoutRun(feature: Feature, end: { state: 'review_done' | 'blocked'; reason: string | null }): Report {
  const { id: featureId, repo, branch, tip } = feature;
  return { ...emptyReport, featureId, repo: repo.top, branch, base: repo.head, head: tip ?? repo.head, ...end };
}

/** The last line of stdout, or null while the run is moving. */
export function sentinelOf({ state, reason }: Pick<Report, 'state' | 'reason'>): string | null {
  if (state === 'review_done') return doneSentinel;
  if (exitCodeOf(state) === 130) return null;
  const text = reason ?? state;
  return blockedSentinel(state === 'blocked' || text.startsWith(state) ? text : `${state}: ${text}`);
}

/** Commands that a person may run now, most useful first. */
export function nextCommands(report: Report, { inTheWay = null, damage = null }: Partial<Surroundings> = {}): string[] {
  return [...(damage ? [`pdlc state rebuild ${report.featureId}`] : []), ...waysOn(report, inTheWay)];
}

function waysOn({ state, featureId: id, branch, tree, workflowId }: Report, inTheWay: string | null): string[] {
  if (state === 'blocked' && workflowId === '') return [`pdlc resume ${id}`, 'pdlc new --design FILE'];
  const lookAt = tree ? [`cd ${quote(tree)}`] : [];
  const ways: Partial<Record<RunState, string[]>> = {
    blocked: [...lookAt, `pdlc resume ${id}`, `pdlc abort ${id}`],
    stuck: [...lookAt, `pdlc resume ${id}`, `pdlc abort ${id}`],
    integrity: [...lookAt, `pdlc resume ${id}`, `pdlc resume ${id} --reseal`, `pdlc abort ${id}`],
    env_broken: [`pdlc resume ${id}`, 'pdlc doctor', `pdlc abort ${id} && pdlc loop-run ${id} --fresh`],
    needs_login: [`pdlc resume ${id}`, `pdlc abort ${id}`],
    capped: [`pdlc extend ${id} --steps +1`, `pdlc abort ${id}`],
    paused: [`pdlc resume ${id}`, `pdlc extend ${id} --usd +5`, `pdlc abort ${id}`],
    limited: [`pdlc loop-run ${id}`, `pdlc pause ${id}`, `pdlc abort ${id}`],
    awaiting_choice: [`pdlc choose ${id} allow`, `pdlc choose ${id} refuse`, `pdlc abort ${id}`],
    review_done: [inTheWay ? `rm ${quote(inTheWay)} && git merge ${branch}` : `git merge ${branch}`],
    done_unverified: [`git diff HEAD...${branch}`],
    aborted: [`pdlc resume ${id}`],
    cancelled: [`pdlc loop-run ${id}`],
    expired: [`pdlc loop-run ${id}`],
  };
  return ways[state] ?? [`pdlc loop-run ${id}`, `pdlc status ${id}`, `pdlc pause ${id}`, `pdlc cancel ${id}`];
}

function quote(path: string): string {
  return /^[A-Za-z0-9_./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
