// Owns the table of the 15-point form: each point with its measured value and a proposal. A point that no program can measure says manual.

import type { Point } from './points.js';
import { comments, errors, fileLengths, functionLengths, imports, purity, tree, types } from './score-code.js';
import { docs, durability, evidence, habits, manners, surface, testing } from './score-project.js';
import { readSources } from './source.js';

/** The form as a Markdown table, with the sum of what could be measured. */
export function scoreTable(): string {
  const sources = readSources();
  const measures = [
    tree,
    fileLengths,
    functionLengths,
    imports,
    purity,
    types,
    errors,
    evidence,
    comments,
    surface,
    testing,
    durability,
    manners,
    docs,
    habits,
  ];
  const points: Point[] = measures.map((measure) => measure(sources));
  const rows = points.map(({ name, value, proposal }, index) => `| ${index + 1} | ${name} | ${value} | ${proposal ?? 'manual'} |`);
  const measured = points.flatMap(({ proposal }) => proposal ?? []);
  const sum = measured.reduce((total, proposal) => total + proposal, 0);
  const open = points.length - measured.length;
  return [
    '| # | point | ours | 0-2 |',
    '|---|---|---|---|',
    ...rows,
    '',
    `${sum} of ${2 * measured.length} measured; ${open} points need a person. The bar is 24 of 30 and no 0.`,
  ].join('\n');
}
