// Owns what the server knows of the act that a run is in: what it does just now, and why it waits to be tried again. Only shown; nothing depends on it.
import type { FoundRun } from './run-handle.js';

/** `activity` is what the act said last; `trouble` why its last try failed, while it waits for the next one. */
export type Pending = { activity: string | null; trouble: string | null };

/** Nothing known, as between two acts. */
export const nothingPending: Pending = { activity: null, trouble: null };

/** Temporal's number for an activity that waits for its next try. */
const stateScheduled = 1;

/** Asks the server, not the worker; never throws. */
export async function readPending({ handle }: FoundRun): Promise<Pending> {
  try {
    const { raw } = await handle.describe();
    const [pending] = raw.pendingActivities ?? [];
    if (!pending) return nothingPending;
    const { state, activityType, lastFailure, heartbeatDetails } = pending;
    // Without a failure of ours it was a worker that went away, and then the act only goes on.
    const waits = state === stateScheduled && lastFailure?.applicationFailureInfo;
    const trouble = waits ? `${activityType?.name} failed and is tried again by itself: ${lastFailure.message}` : null;
    return { activity: activityOf(heartbeatDetails?.payloads?.[0]?.data), trouble };
  } catch {
    return nothingPending;
  }
}

function activityOf(payload: Uint8Array | null | undefined): string | null {
  if (!payload) return null;
  const { doing, lastLine } = JSON.parse(Buffer.from(payload).toString()) as { doing?: string; lastLine?: string | null }; // written by our own activities
  return lastLine || doing || null;
}
