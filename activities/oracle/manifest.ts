// Owns what a change of package.json means: its scripts and tool settings decide pass or fail, its dependencies are a person's choice, the rest is open.
import { isDeepStrictEqual } from 'node:util';

/** Keys of package.json that say which code of others runs. */
const dependencyKeys = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'bundledDependencies',
  'bundleDependencies',
  'overrides',
  'resolutions',
  'packageManager',
  'workspaces',
  'pnpm',
];
/** Keys of package.json that checks obey. */
const decidingKeys = [
  'scripts',
  'jest',
  'vitest',
  'mocha',
  'ava',
  'nyc',
  'c8',
  'tap',
  'babel',
  'eslintConfig',
  'prettier',
  'stylelint',
  'type',
  'imports',
  'engines',
  'config',
];

/** What differs between two versions of a package.json (null: absent): keys that decide, keys of dependencies. Text that is no JSON object decides. */
export function manifestChanges(before: string | null, after: string | null): { deciding: string[]; dependencies: string[] } {
  const [a, b] = [parse(before), parse(after)];
  if (a === null || b === null) return { deciding: before === after ? [] : ['the whole file'], dependencies: [] };
  // Order may decide (the first matching pattern of a module map wins); between dependencies it means nothing, and package managers sort them.
  const differs = (key: string): boolean => JSON.stringify(a[key]) !== JSON.stringify(b[key]);
  return { deciding: decidingKeys.filter(differs), dependencies: dependencyKeys.filter((key) => !isDeepStrictEqual(a[key], b[key])) };
}

function parse(text: string | null): Record<string, unknown> | null {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
