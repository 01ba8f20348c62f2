// Owns how the simulation tells two long texts apart for a reader.

/** Where two texts begin to differ, with what surrounds it in each. */
export function firstDifference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 80), at + 120);
  return `${around(one)} and ${around(other)}`;
}
