// Owns the clock of a simulation: while it stands, `Date` shows the simulated time, as it does inside of a workflow.

const real = globalThis.Date;
let nowMs = 0;

class SimulatedDate extends real {
  constructor(...given: [] | [number | string]) {
    if (given.length === 0) super(nowMs);
    else super(given[0]);
  }
  static override now(): number {
    return nowMs;
  }
}

/** From now on it is this late, in epoch ms. */
export function setClock(ms: number): void {
  nowMs = ms;
  globalThis.Date = SimulatedDate as DateConstructor; // called without `new` nowhere in workflows
}
