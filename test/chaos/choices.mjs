// Owns what the chaos scripts share: how much is asked of them, choices that a seed repeats, and the table of kills by victim and moment.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** How many of `what` the script is asked for, and with which seed; a mistake is told with the usage. */
export function askedFor(what, byDefault) {
  const { values } = parseArgs({ options: { [what]: { type: 'string', default: String(byDefault) }, seed: { type: 'string', default: '1' } } });
  const [count, seed] = [Number(values[what]), Number(values.seed)];
  if (count > 0 && Number.isInteger(seed)) return { count, seed };
  throw new Error(`usage: ${basename(process.argv[1])} [--${what} N] [--seed S], N above 0, S a whole number`);
}

/** A small generator of whole numbers below a bound (mulberry32). */
export function generator(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return below === 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Counts kills and prints them, one row for each victim. */
export function openTable() {
  const rows = new Map();
  return {
    count: (victim, moment) => {
      const row = rows.get(victim) ?? new Map();
      rows.set(victim, row.set(moment, (row.get(moment) ?? 0) + 1));
    },
    print: () => {
      const moments = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))].sort();
      console.log(['| victim |', ...moments.map((moment) => `${moment} |`)].join(' '));
      console.log(`|---|${moments.map(() => '---|').join('')}`);
      for (const [victim, row] of [...rows].sort()) console.log([`| ${victim} |`, ...moments.map((moment) => `${row.get(moment) ?? ''} |`)].join(' '));
    },
  };
}
