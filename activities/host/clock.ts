// Owns what this host's own clock says about an act. It does not jump when the wall clock is set, and stands still while the machine sleeps.
import type { Clocked } from '../../machines/contract/activities.js';
import { bootId } from '../process/identity.js';
import type { Act } from './act.js';

const nsPerMs = 1_000_000n;

/** The same work, whose result says between which readings of the host's clock it was done. */
export function withClock<Input, Result extends object>(
  work: (input: Input, act: Act) => Promise<Result>,
): (input: Input, act: Act) => Promise<Result & Clocked> {
  return async (input, act) => {
    const beganMs = nowMs();
    const result = await work(input, act);
    return { ...result, clock: { boot: bootId, beganMs, endedMs: nowMs() } };
  };
}

/** Counted from the boot, not from the start of this process. */
function nowMs(): number {
  return Number(process.hrtime.bigint() / nsPerMs);
}
