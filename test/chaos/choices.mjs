// Owns what the chaos scripts share: choices that a seed repeats, and the table of kills by victim and moment.

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
