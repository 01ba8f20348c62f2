// The init command: looks at the project and proposes a pdlc.yaml. It reads files only and runs nothing of the project.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectProject, proposeConfig } from '../../activities/project/detect.js';
import type { Context } from '../context.js';
import { usageError } from '../error.js';
import { openHere } from '../feature.js';

/** Options of init; `print` only shows the proposal. */
export type InitOptions = { print: boolean; json: boolean };

/** Writes pdlc.yaml unless there is one, and says what it was concluded from. */
export async function init(context: Context, { print, json }: InitOptions): Promise<number> {
  const { top } = await openHere(context);
  const detection = await detectProject(top);
  const text = proposeConfig(detection);
  if (json) context.out(JSON.stringify({ file: 'pdlc.yaml', text, detection }));
  else if (print) context.out(text.trimEnd());
  if (print || json) return 0;
  try {
    writeFileSync(join(top, 'pdlc.yaml'), text, { flag: 'wx' });
  } catch {
    throw usageError('pdlc.yaml: expected none, found one already; see a proposal without writing it with: pdlc init --print');
  }
  for (const line of detection.evidence) context.err(`  ${line}`);
  context.out('pdlc.yaml is written. Read it, correct it, commit it; then: pdlc new --design FILE');
  return 0;
}
