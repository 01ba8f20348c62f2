// Owns the directions in which the folders may import each other. Must stay a table that a person can read.
import type { Source } from './source.js';

/** One row: files whose path starts with `from` may import what starts with one of `may`; the first row that fits a file counts. */
type Direction = { from: string; may: string[] };

const libraries = ['node:', 'zod', 'yaml', 'picomatch', 'proper-lockfile', 'fastest-levenshtein'];

/** The directions, most special first. Own files end in a slash or in .ts, so that a prefix cannot mean more than it says. */
const directions: Direction[] = [
  { from: 'machines/contract/', may: ['machines/contract/', 'zod'] },
  { from: 'machines/', may: ['machines/', 'xstate'] },
  { from: 'workflows/', may: ['workflows/', 'machines/', '@temporalio/workflow', '@temporalio/common'] },
  { from: 'activities/', may: ['activities/', 'machines/contract/', '@temporalio/activity', '@temporalio/common', ...libraries] },
  { from: 'worker/stack/', may: ['worker/stack/', 'machines/contract/', 'activities/process/identity.ts', '@temporalio/', ...libraries] },
  { from: 'worker/main.ts', may: ['worker/', 'activities/index.ts', 'activities/process/identity.ts', 'machines/contract/', '@temporalio/', ...libraries] },
  { from: 'worker/create.ts', may: ['worker/', 'activities/index.ts', 'workflows/messages.ts', 'machines/contract/', '@temporalio/', ...libraries] },
  { from: 'worker/fail-points.ts', may: ['activities/index.ts', '@temporalio/', 'node:'] },
  { from: 'worker/', may: ['worker/', 'machines/contract/', '@temporalio/', ...libraries] },
  {
    from: 'cli/',
    may: [
      ...['cli/', 'machines/contract/', 'workflows/messages.ts', 'worker/stack/index.ts'],
      ...['activities/git/read.ts', 'activities/git/git.ts', 'activities/project/', 'activities/ledger/read.ts'],
      ...['activities/host/paths.ts', 'activities/host/environment.ts', 'activities/agents/program.ts', 'activities/process/containment.ts'],
      ...['activities/ledger/past.ts', 'activities/ledger/rebuild.ts'],
      ...['@temporalio/client', '@temporalio/common', '@temporalio/envconfig', 'commander', ...libraries],
    ],
  },
];

/** Imports that no row allows, as `file:line imports target`. Tests and files at the root may import anything. */
export function forbiddenImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, imports }) => {
    const row = directions.find(({ from }) => path.startsWith(from));
    if (!row) return [];
    const isAllowed = (target: string): boolean =>
      row.may.some((prefix) => (/[/:]$|\.ts$/.test(prefix) ? target.startsWith(prefix) : isPackage(target, prefix)));
    return imports.filter(({ target }) => !isAllowed(target)).map(({ line, target }) => `${path}:${line} imports ${target}`);
  });
}

/** Import cycles between files, types included, each named once by its files in order. */
export function importCycles(sources: readonly Source[]): string[] {
  const edges = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(' → '));
    if (start !== -1 || done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

function isPackage(target: string, name: string): boolean {
  return target === name || target.startsWith(`${name}/`);
}
