// Owns chance in the simulation: a small generator that gives the same choices again for the same seed. Must never be asked anything outside of a run's own order.

/** Choices from a seed. */
export class Chance {
  private state: number;
  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring choices.
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    this.below(2);
  }

  /** 0 to `count` - 1. */
  below(count: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  /** True about once in `count`. */
  once(count: number): boolean {
    return this.below(count) === 0;
  }

  /** One of them. */
  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T; // below stays below the length
  }
}
