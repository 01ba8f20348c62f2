// Owns the report of a run (`pdlc.run/1`): a fold over ledger entries. The workflow keeps it live, the CLI rebuilds it from the ledger file; both get the same.
import { blockingFindings, type Card } from './card.js';
import { type CheckResult, describeCheck, isRed } from './check.js';
import type { LedgerEntry } from './ledger.js';
import { defaultLimits, type Limits } from './limits.js';
import type { RunState } from './run-state.js';
import type { Stage } from './stage.js';
import { addUsage, noSpend, type Spend, type Tokens, unknownUsage } from './usage.js';

/** One dispatched stage: `ok` null while it is open; `checks` says how each check last ended; `commit` is the last captured candidate. */
export type StepReport = {
  step: number;
  stage: Stage;
  ok: boolean | null;
  attempts: number;
  checks: Record<string, string>;
  reason: string | null;
  commit: string | null;
  durationMs: number | null;
  usage: { usd: number | null; tokens: Tokens | null };
};

/** What became of a person's command, found by its id. */
export type CommandReport = { id: string; command: string; accepted: boolean; detail: string };

/** The report of a run in any state; money in USD. A sum is null where any process left its part unknown; what is known stands beside it. */
export type Report = {
  schema: 'pdlc.run/1';
  featureId: string;
  workflowId: string;
  state: RunState;
  stage: Stage | null;
  attempt: number;
  reason: string | null;
  detail: string | null;
  until: string | null;
  stepsUsed: number;
  maxSteps: number;
  steps: StepReport[];
  usage: { usd: number | null; usdKnown: number; tokens: Tokens | null; tokensKnown: Tokens };
  limits: Limits;
  repo: string;
  branch: string;
  base: string;
  head: string;
  tree: string | null;
  honor: boolean;
  notices: string[];
  commands: CommandReport[];
  seq: number;
  startedAt: string;
  spend: Spend;
};

/** Longest detail (output of the refusing check, last words of an agent) that a report carries, in characters. */
const detailMax = 1_500;

/** Most commands kept in a report; older ones stay in the ledger. */
const commandsMax = 20;

/** A report of nothing yet; `run.started` fills it. */
export const emptyReport: Report = {
  schema: 'pdlc.run/1',
  featureId: '',
  workflowId: '',
  state: 'deciding',
  stage: null,
  attempt: 0,
  reason: null,
  detail: null,
  until: null,
  stepsUsed: 0,
  maxSteps: 0,
  steps: [],
  usage: { usd: 0, usdKnown: 0, tokens: noSpend.tokens, tokensKnown: noSpend.tokens },
  limits: defaultLimits,
  repo: '',
  branch: '',
  base: '',
  head: '',
  tree: null,
  honor: false,
  notices: [],
  commands: [],
  seq: 0,
  startedAt: '',
  spend: noSpend,
};

/** Folds one entry into a report; entries already seen (by `seq`) change nothing. */
export function applyEntry(report: Report, entry: LedgerEntry): Report {
  if (entry.seq <= report.seq) return report;
  return { ...report, ...changeOf(report, entry), seq: entry.seq };
}

/** The report of a whole ledger. */
export const reportOf = (entries: readonly LedgerEntry[]): Report => entries.reduce(applyEntry, emptyReport);

function changeOf(report: Report, entry: LedgerEntry): Partial<Report> {
  switch (entry.kind) {
    case 'run.started': {
      const { featureId, workflowId, repo, branch, base, tip, limits, honor } = entry;
      return { featureId, workflowId, repo, branch, base, head: tip, limits, honor, maxSteps: limits.steps, startedAt: entry.at };
    }
    case 'stage.dispatched':
      return {
        state: 'preparing',
        stage: entry.stage,
        attempt: 0,
        reason: null,
        detail: null,
        until: null,
        stepsUsed: entry.step,
        steps: [...report.steps, newStep(entry)],
      };
    case 'ground.proved':
      return { tree: entry.tree, notices: [...new Set([...report.notices, ...entry.notices])] };
    case 'attempt.ended':
      return afterAttempt(report, entry);
    case 'work.captured':
      return { steps: patchStep(report, { commit: entry.capture.commit }) };
    case 'verdict.reached':
      return afterVerdict(report, entry);
    case 'infrastructure.failed':
      // An agent or an evaluator may have run before its act failed; what it cost is not known, which is not nothing.
      return entry.act === 'agent' || (entry.act === 'judge' && entry.stage === 'review') ? spent(report, unknownUsage) : {};
    case 'stage.settled':
      return { steps: patchStep(report, { ok: entry.ok, reason: entry.reason, attempts: entry.attempts, durationMs: entry.durationMs }) };
    case 'branch.moved':
      return { head: entry.head };
    case 'person.acted':
      return { commands: [...report.commands, { id: entry.id, command: entry.command, accepted: entry.accepted, detail: entry.detail }].slice(-commandsMax) };
    case 'limits.changed':
      return { limits: entry.limits, maxSteps: entry.limits.steps };
    case 'run.waiting':
      return { state: entry.state, reason: entry.reason, until: entry.until };
    case 'run.ended':
      return { state: entry.state, reason: entry.reason, until: null };
  }
}

type Entry<K extends LedgerEntry['kind']> = Extract<LedgerEntry, { kind: K }>;

function afterAttempt(report: Report, { attempt, outcome }: Entry<'attempt.ended'>): Partial<Report> {
  const counted = { ...report, ...spent(report, outcome.usage) };
  const detail = outcome.kind === 'finished' ? null : outcome.lastWords.slice(-detailMax) || null;
  return { ...counted, attempt, detail, steps: patchStep(counted, { attempts: attempt }) };
}

function afterVerdict(report: Report, { stage, commit, verdict }: Entry<'verdict.reached'>): Partial<Report> {
  let counted = report;
  for (const usage of verdict.usage) counted = { ...counted, ...spent(counted, usage) };
  const own = Object.fromEntries(verdict.checks.map((check) => [check.name, checkText(stage, check)]));
  const checks = verdict.gate === 'evaluate' && verdict.checks.length === 0 ? knownChecks(report) : own;
  const evaluator: Record<string, string> = verdict.card ? { evaluator: evaluatorText(verdict.card) } : {};
  const detail = verdict.kind === 'reject' ? verdict.feedback.slice(-detailMax) : null;
  return { usage: counted.usage, spend: counted.spend, detail, steps: patchStep(counted, { commit, checks: { ...checks, ...evaluator } }) };
}

/** A review on the tree that an earlier step of this run was verified on does not run its checks again. */
function knownChecks(report: Report): Record<string, string> {
  const earlier = report.steps.slice(0, -1).findLast(({ ok }) => ok);
  return Object.fromEntries(Object.entries(earlier?.checks ?? {}).map(([name, text]) => [name, `${text} in step ${earlier?.step}, on the same tree`]));
}

function evaluatorText(card: Card): string {
  const blocking = blockingFindings(card).length;
  const others = card.findings.length - blocking;
  return `evaluator: ${blocking === 0 ? 'nothing blocking' : `${blocking} blocking`}${others > 0 ? `, ${others} other findings` : ''}`;
}

function checkText(stage: Stage, check: CheckResult): string {
  // In tdd the new tests have to fail; a bare "failed" would read as bad news.
  const isWanted = stage === 'tdd' && check.name === 'unit' && isRed(check);
  return isWanted && check.kind === 'failed' ? `unit is red as it must be (exit ${check.exitCode})` : describeCheck(check);
}

function newStep(entry: { step: number; stage: Stage }): StepReport {
  const usage = { usd: 0, tokens: noSpend.tokens };
  return { step: entry.step, stage: entry.stage, ok: null, attempts: 0, checks: {}, reason: null, commit: null, durationMs: null, usage };
}

function patchStep(report: Report, change: Partial<StepReport>): StepReport[] {
  return report.steps.map((step, index) => (index === report.steps.length - 1 ? { ...step, ...change } : step));
}

function spent(report: Report, usage: { usd: number | null; tokens: Tokens | null }): Pick<Report, 'usage' | 'spend' | 'steps'> {
  const spend = addUsage(report.spend, usage);
  const step = report.steps.at(-1);
  const stepUsage = step && {
    usd: step.usage.usd === null || usage.usd === null ? null : addUsage({ ...noSpend, usdKnown: step.usage.usd }, usage).usdKnown,
    tokens: step.usage.tokens && usage.tokens ? addUsage({ ...noSpend, tokens: step.usage.tokens }, usage).tokens : null,
  };
  return {
    spend,
    usage: {
      usd: spend.usdUnknown > 0 ? null : spend.usdKnown,
      usdKnown: spend.usdKnown,
      tokens: spend.tokensUnknown > 0 ? null : spend.tokens,
      tokensKnown: spend.tokens,
    },
    steps: stepUsage ? patchStep(report, { usage: stepUsage }) : report.steps,
  };
}
