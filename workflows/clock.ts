// Owns how long a moving run has really been at it: the time between two readings of its host's clock is what the host says, whatever the server's clock did meanwhile.
import type { ClockReading } from '../machines/contract/activities.js';

/** From here on a difference between the two clocks is a jump, or a night's sleep, and no mere delay, in ms. */
const jumpMsMin = 60_000;

/** `startedMs` is the server's time at which the run began to move, shifted by every jump since; `last` is the host's latest reading and when the workflow got it; `jumps` counts. */
export type Clock = { startedMs: number; last: { boot: string; hostMs: number; atMs: number } | null; jumps: number };

/** A clock for a run that begins to move now. */
export function startClock(startedMs: number): Clock {
  return { startedMs, last: null, jumps: 0 };
}

/** The clock after a reading of an act that was asked for at `askedMs` and answered at `atMs`. Across a reboot only the act itself can be compared. */
export function hearClock(clock: Clock, { boot, beganMs, endedMs }: ClockReading, { askedMs, atMs }: { askedMs: number; atMs: number }): Clock {
  const from = clock.last?.boot === boot ? clock.last : { hostMs: beganMs, atMs: askedMs };
  const jumpMs = atMs - from.atMs - (endedMs - from.hostMs);
  return { startedMs: clock.startedMs + jumpMs, last: { boot, hostMs: endedMs, atMs }, jumps: clock.jumps + (Math.abs(jumpMs) >= jumpMsMin ? 1 : 0) };
}
