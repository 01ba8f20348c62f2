// Owns reports as text for people. Pure: values in, lines out; no colour, no cursor movement, no control characters of others.
import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../machines/contract/duration.js';
import type { Limits } from '../machines/contract/limits.js';
import type { Report, StepReport } from '../machines/contract/report.js';
import { isWaiting } from '../machines/contract/run-state.js';
import { totalTokens } from '../machines/contract/usage.js';
import { nextCommands, type Surroundings } from './run-json.js';

/** Most lines of a check's output or an agent's last words that are shown. */
const detailLinesMax = 8;

/** The whole status of a run, line by line. */
export function statusLines(report: Report, around: Surroundings): string[] {
  const { uiUrl, damage } = around;
  const { featureId, state, reason, until, branch, head, base, tree, notices } = report;
  return [
    `${featureId}: ${state}${until ? ` until ${until}` : ''}`,
    ...(reason ? indent(`why: ${reason}`) : []),
    ...(report.detail && isWaiting(state) ? indent(lastLines(report.detail), '    | ') : []),
    `  steps ${report.stepsUsed} of ${report.maxSteps} · ${moneyText(report)} · branch ${branch} at ${head.slice(0, 10)} (base ${base.slice(0, 10)})`,
    `  limits: ${limitsText(report.limits)}`,
    ...report.steps.flatMap(stepLines),
    ...notices.map((notice) => `  note: ${plain(notice)}`),
    ...(damage ? [`  damaged: ${plain(damage)}`] : []),
    ...(tree && isWaiting(state) ? [`  kept tree: ${tree}`] : []),
    ...(uiUrl ? [`  ${uiUrl}`] : []),
    ...nextCommands(report, around).map((command, index) => `${index === 0 ? '  next: ' : '        '}${command}`),
  ];
}

/** One step: its line, and its reason below when it stopped. */
export function stepLines(step: StepReport): string[] {
  const result = step.ok === null ? 'under way' : step.ok ? 'passed' : 'stopped';
  const facts = [
    `${step.attempts} ${step.attempts === 1 ? 'attempt' : 'attempts'}`,
    ...(step.durationMs === null ? [] : [seconds(step.durationMs)]),
    ...Object.values(step.checks),
  ];
  const commit = step.commit ? ` · ${step.commit.slice(0, 10)}` : '';
  return [`  ${step.step}. ${step.stage}: ${result} (${facts.join(', ')})${commit}`, ...(step.reason ? indent(step.reason, '     ') : [])];
}

/** Spent money and tokens; what is unknown is said. */
export function moneyText({ usage, limits }: Report): string {
  const known = `USD ${usage.usdKnown.toFixed(2)} of ${limits.usd}`;
  const tokens = `${totalTokens(usage.tokensKnown)} tokens${usage.tokens === null ? ' known' : ''}`;
  return `${usage.usd === null ? `${known} (part of the spend is unknown)` : known}, ${tokens}`;
}

/** All limits in one line. */
export function limitsText({ steps, attempts, usd, usdPerAttempt, tokens, wall, silence, deadline, wait }: Limits): string {
  const times = Object.entries({ wall, silence, deadline, wait }).map(([name, valueMs]) => `${name} ${formatDuration(valueMs)}`);
  return [`steps ${steps}`, `attempts ${attempts}`, `USD ${usd} (${usdPerAttempt} an attempt)`, `tokens ${tokens ?? 'no cap'}`, ...times].join(', ');
}

/** Text of others without anything that a terminal would obey or a script take for a sentinel, on one line. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('<<<PDLC', '<< PDLC')
    .trim();
}

/** A duration for people, in seconds below a minute. */
export function seconds(totalMs: number): string {
  return totalMs < 60_000 ? `${(totalMs / 1000).toFixed(1)}s` : formatDuration(Math.round(totalMs / 1000) * 1000);
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-detailLinesMax).join('\n');
}

function indent(text: string, by = '  '): string[] {
  const lines = text.split('\n').slice(0, 12);
  return lines.map((line) => `${by}${plain(line)}`);
}
