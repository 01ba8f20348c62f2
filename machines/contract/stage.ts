// Owns the names of the stages and their order. The order is forward only: nothing here can name a stage after review.

/** The stages of a run, in the only order they can be entered. */
export const stages = ['tdd', 'implement', 'review'] as const;

/** One of the three stages; the spelling used everywhere except in `next_step` and `advanced_to` of a state file. */
export type Stage = (typeof stages)[number];

/** Position in the order, 0 to 2; used to prove that a run never goes back. */
export function stageIndex(stage: Stage): number {
  return stages.indexOf(stage);
}

/** The stage after this one, or null after review, where a person takes over. */
function stageAfter(stage: Stage): Stage | null {
  return stages[stageIndex(stage) + 1] ?? null;
}

/** What a state file's `next_step` says once this stage has passed: the next command, or null when the mechanical part is done. */
export function nextStepAfter(stage: Stage): string {
  const next = stageAfter(stage);
  return next ? `pdlc-${next}` : 'pdlc-ship';
}
