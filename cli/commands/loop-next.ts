// The loop-next command: one bare token that says what comes next. Loads no Temporal and starts nothing.
import { nextOf, nextToken } from '../../machines/contract/state-file.js';
import type { Context } from '../context.js';
import { findFeature } from '../feature.js';

/** Prints the token (`pdlc-tdd`, `pdlc-implement`, `pdlc-review`, `done` or `blocked`); the reason of a block goes to stderr. Always exits 0 for a decision. */
export async function loopNext(context: Context, id: string, { json }: { json: boolean }): Promise<number> {
  const feature = await findFeature(context, id);
  const next = nextOf(feature.state);
  const reason = next.kind === 'blocked' ? next.reason : null;
  context.out(json ? JSON.stringify({ featureId: id, next: nextToken(next), reason, source: feature.source }) : nextToken(next));
  if (reason && !json) context.err(`${id}: ${reason}`);
  return 0;
}
