// Owns how a run looks in Temporal's UI: current details as a Markdown table, search attributes. A person reads a run there without the CLI.
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Report, StepReport } from '../machines/contract/report.js';
import { isWaiting, type RunState } from '../machines/contract/run-state.js';
import { doneSentinel } from '../machines/contract/sentinel.js';
import { type Live, stateOf } from './live.js';
import { stageAttribute, stateAttribute } from './messages.js';

/** Shows where the run is; costs no history. */
export function showDetails(live: Live): void {
  setCurrentDetails(detailsOf(live.report, stateOf(live)));
}

/** Makes state and stage searchable; each call is an event, so it is made only when a stage begins and when the run waits or ends. */
export function showState(live: Live): void {
  const state = stateOf(live);
  const shown: RunState = state === 'deciding' ? 'preparing' : state;
  upsertSearchAttributes([
    { key: stateAttribute, value: shown },
    { key: stageAttribute, value: live.report.stage ?? live.input.startStage },
  ]);
}

/** The run as Markdown: state and reason first, then one row per step. */
export function detailsOf(report: Report, state: RunState): string {
  const head = `**${state}**${report.reason ? `: ${inCell(report.reason)}` : ''}${state === 'review_done' ? ` \`${doneSentinel}\`` : ''}`;
  const usd = report.usage.usd === null ? `USD ${report.usage.usdKnown.toFixed(2)} (part of the spend is unknown)` : `USD ${report.usage.usd.toFixed(2)}`;
  const facts = `steps ${report.stepsUsed} of ${report.maxSteps} · ${usd} of ${report.limits.usd} · branch \`${report.branch}\` at \`${report.head.slice(0, 10)}\``;
  const wayOut = isWaiting(state) ? `\n\nGo on with \`pdlc resume ${report.featureId}\`; \`pdlc status ${report.featureId}\` shows every way.` : '';
  const table = ['| step | stage | result | attempts | checks | commit | why |', '|---|---|---|---|---|---|---|', ...report.steps.map(rowOf)].join('\n');
  return `${head}\n\n${facts}${wayOut}\n\n${report.steps.length > 0 ? table : ''}`;
}

function rowOf(step: StepReport): string {
  const result = step.ok === null ? 'under way' : step.ok ? 'passed' : 'stopped';
  const checks = Object.values(step.checks).join('; ');
  const cells = [step.step, step.stage, result, step.attempts, checks, step.commit?.slice(0, 10) ?? '', step.reason ?? ''];
  return `| ${cells.map((cell) => inCell(String(cell))).join(' | ')} |`;
}

function inCell(text: string): string {
  return text.replaceAll(/[\\|]/g, '\\$&').replaceAll(/\s+/g, ' ').slice(0, 300);
}
