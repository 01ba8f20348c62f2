// Owns what one point of the form is and how it is scored. Must stay free of what is measured.
import type { Source } from './source.js';

/** One point of the form: what was measured, and 0 to 2, or null where a person must decide. */
export type Point = { name: string; value: string; proposal: number | null };

/** 2 when all hold, 1 when at least half do, otherwise 0. */
export function points(kept: readonly boolean[]): number {
  const held = kept.filter(Boolean).length;
  return held === kept.length ? 2 : Number(held * 2 >= kept.length);
}

/** A share as a whole percentage. */
export const percent = (share: number): string => (Number.isFinite(share) ? `${Math.round(100 * share)}%` : 'none');

/** Lines that are not blank. */
export const filledLines = ({ lines }: Source): number => lines.filter((line) => line.trim() !== '').length;
