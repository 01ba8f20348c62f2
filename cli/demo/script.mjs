// Owns how the scripted agents of the demonstration speak: lines at a human pace, and the result line at the end.
// Must never claim a real model: every figure is made up, and the text says so.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const lineMs = 150;
const pace = Number(process.env.PDLC_DEMO_PACE ?? 1);

/** Prints lines one by one with a pause after each; PDLC_DEMO_PACE=0 leaves the pauses out, 2 doubles them. */
export async function say(...lines) {
  for (const line of lines) {
    writeSync(1, `${line}\n`);
    await sleep(lineMs * pace);
  }
}

/** Prints the result line; `tokens` are the ones read and written, `more` may carry a card. */
export function finish(text, { usd, tokens: [read, written] }, more = {}) {
  const tokens = { in: read, out: written, cacheRead: 0, cacheWrite: 0 };
  writeSync(1, `${JSON.stringify({ type: 'result', text: `${text} (Demonstration: no model was called, the figures are made up.)`, usd, tokens, ...more })}\n`);
}
