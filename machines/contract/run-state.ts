// Owns the closed list of states a run can be in and the exit code of each. A state that is not here cannot be reached.

/** Moving: the engine has something to do. */
export const movingStates = ['deciding', 'preparing', 'working', 'judging', 'repairing'] as const;
/** Waiting: only a person, or for `limited` a durable timer, can lead on. */
export const waitingStates = ['blocked', 'stuck', 'capped', 'paused', 'limited', 'awaiting_choice', 'needs_login', 'env_broken', 'integrity'] as const;
/** Final: the workflow is closed. */
export const finalStates = ['review_done', 'done_unverified', 'aborted', 'cancelled', 'expired'] as const;

/** All states of a run. */
export const runStates = [...movingStates, ...waitingStates, ...finalStates] as const;
export type RunState = (typeof runStates)[number];

/** Whether the run waits for a person or a timer. */
export const isWaiting = (state: RunState): boolean => (waitingStates as readonly string[]).includes(state);
/** Whether the run is over. */
export const isFinal = (state: RunState): boolean => (finalStates as readonly string[]).includes(state);

/** Exit codes that do not come from a state. */
export const exitCodes = { ok: 0, usage: 64, unavailable: 69, detached: 130 } as const;

const codes: Record<(typeof waitingStates)[number] | (typeof finalStates)[number], number> = {
  review_done: 0,
  blocked: 2,
  paused: 2,
  awaiting_choice: 2,
  needs_login: 2,
  integrity: 2,
  limited: 2,
  capped: 3,
  expired: 3,
  env_broken: 4,
  stuck: 5,
  aborted: 6,
  cancelled: 6,
  done_unverified: 7,
};

/** The exit code of a state in which a command may end; a moving state means that the caller left early (130). */
export function exitCodeOf(state: RunState): number {
  return state in codes ? codes[state as keyof typeof codes] : exitCodes.detached;
}
