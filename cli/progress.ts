// Owns live progress on stderr: one line rewritten in place on a terminal, plain lines elsewhere. It only shows; nothing depends on it.
import { clearLine, cursorTo } from 'node:readline';
import type { Report } from '../machines/contract/report.js';
import { isFinal, isWaiting } from '../machines/contract/run-state.js';
import type { Context } from './context.js';
import type { Pending } from './pending.js';
import { moneyText, plain, stepLines } from './render.js';

/** Shows a run as it moves; `end` leaves the terminal clean. */
export type Progress = { show: (report: Report, pending: Pending) => void; end: () => void };

/** Progress for this context; lines already shown are not shown again. */
export function openProgress({ err, isTerminal, useColor }: Pick<Context, 'err' | 'isTerminal' | 'useColor'>): Progress {
  let saidAbout = '';
  let settled = 0;
  let liveLine = false;
  let shown = '';
  let saidTrouble: string | null = null;
  const erase = (): void => {
    if (!liveLine) return;
    clearLine(process.stderr, 0);
    cursorTo(process.stderr, 0);
    liveLine = false;
  };
  return {
    show(report, { activity, trouble }) {
      const done = report.steps.filter(({ ok }) => ok !== null);
      const now = `${report.state} ${report.stage} ${report.stepsUsed} ${report.attempt}`;
      if (done.length > settled || now !== saidAbout) erase();
      for (const step of done.slice(settled)) err(color(useColor, step.ok === true, stepLines(step).join('\n')));
      settled = done.length;
      const moving = !isFinal(report.state) && !isWaiting(report.state);
      if (now !== saidAbout && moving && !isTerminal) err(movingText(report));
      saidAbout = now;
      if (moving && trouble && trouble !== saidTrouble) {
        erase();
        err(`  ${plain(trouble)}`);
        saidTrouble = trouble;
      }
      if (isTerminal && moving) {
        const line = shorten(`${movingText(report)} · ${elapsed(report)} · ${moneyText(report)}${activity ? ` · ${plain(activity)}` : ''}`);
        if (line !== shown || !liveLine) rewrite(line);
        shown = line;
        liveLine = true;
      }
    },
    end: erase,
  };
}

/** Over the old text and then the rest away: erasing first would flicker. */
function rewrite(line: string): void {
  cursorTo(process.stderr, 0);
  process.stderr.write(line);
  clearLine(process.stderr, 1);
}

function movingText({ stage, state, stepsUsed, maxSteps, attempt }: Report): string {
  const number = state === 'working' || state === 'repairing' ? `, attempt ${attempt}` : '';
  return `  ${stepsUsed}/${maxSteps} ${stage ?? ''} ${state}${number}`;
}

function elapsed({ startedAt }: Report): string {
  return `${Math.floor(Math.max(0, Date.now() - Date.parse(startedAt)) / 1000)}s`;
}

function shorten(text: string): string {
  const columns = process.stderr.columns || 80;
  return text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
}

function color(useColor: boolean, ok: boolean, text: string): string {
  return useColor ? `\u001b[${ok ? 32 : 31}m${text}\u001b[0m` : text;
}
