// Owns what package.json and the lockfile beside it give away about a JavaScript project. Pure over `ProjectFiles`; a doubt becomes evidence, not a command.
import { z } from 'zod';
import type { Clues, ProjectFiles } from './project-files.js';

const strings = z.record(z.string(), z.string()).optional().catch(undefined);
const manifestSchema = z.looseObject({
  scripts: strings,
  dependencies: strings,
  devDependencies: strings,
  packageManager: z.string().optional().catch(undefined),
});

const lockfiles = { npm: ['package-lock.json', 'npm-shrinkwrap.json'], pnpm: ['pnpm-lock.yaml'], yarn: ['yarn.lock'], bun: ['bun.lock', 'bun.lockb'] } as const;
type Manager = keyof typeof lockfiles;
const managers: readonly Manager[] = ['npm', 'pnpm', 'yarn', 'bun'];

/** Scripts that are taken as checks, the best name first. */
const scriptNames = { unit: ['test:unit', 'test'], coverage: ['coverage', 'test:coverage', 'test:cov'], lint: ['lint'], e2e: ['e2e', 'test:e2e'] } as const;

/** The clues of a package.json, or null when there is none. */
export function nodeClues(files: ProjectFiles): Clues | null {
  const text = files.text('package.json');
  if (text === null) return null;
  const manifest = manifestSchema.safeParse(parseJson(text));
  const evidence: string[] = [];
  if (!manifest.success)
    return { packageManager: null, runner: null, setup: null, checks: {}, evidence: ['package.json: expected a JSON object, found something else'] };
  const { scripts = {}, dependencies = {}, devDependencies = {}, packageManager } = manifest.data;
  const manager = managerOf(files, packageManager, evidence);
  const setup = manager ? setupOf(files, manager, packageManager) : null;
  if (setup === null && Object.keys({ ...dependencies, ...devDependencies }).length > 0)
    evidence.push('package.json has dependencies, but no single lockfile says how to install them');
  return { packageManager: manager, runner: runnerOf(scripts, devDependencies), setup, checks: checksOf(scripts, manager ?? 'npm', evidence), evidence };
}

function managerOf(files: ProjectFiles, field: string | undefined, evidence: string[]): Manager | null {
  const locked = managers.filter((name) => lockfiles[name].some(files.has));
  const declared = managers.find((name) => field?.startsWith(`${name}@`));
  if (declared) evidence.push(`package.json names ${field} as its package manager`);
  else evidence.push(...locked.map((name) => `${lockfiles[name].find(files.has)} belongs to ${name}`));
  return declared ?? (locked.length === 1 ? (locked[0] ?? null) : null);
}

function setupOf(files: ProjectFiles, manager: Manager, field: string | undefined): string | null {
  if (!lockfiles[manager].some(files.has)) return null;
  if (manager === 'npm') return 'npm ci';
  const isModernYarn = manager === 'yarn' && (files.has('.yarnrc.yml') || /^yarn@([2-9]|\d{2,})\./.test(field ?? ''));
  return `${manager} install ${isModernYarn ? '--immutable' : '--frozen-lockfile'}`;
}

function checksOf(scripts: Record<string, string>, manager: Manager, evidence: string[]): Record<string, string> {
  const checks: Record<string, string> = {};
  for (const [check, names] of Object.entries(scriptNames)) {
    const name = names.find((candidate) => scripts[candidate]?.trim());
    const script = name && scripts[name];
    if (!name || !script) continue;
    if (/no test specified/.test(script)) evidence.push(`package.json: script "${name}" is only a placeholder`);
    else if (/--watch(?!=false)\b/.test(script)) evidence.push(`package.json: script "${name}" watches and would not end`);
    else {
      checks[check] = name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`;
      evidence.push(`package.json has the script "${name}": ${script}`);
    }
  }
  return checks;
}

function runnerOf(scripts: Record<string, string>, devDependencies: Record<string, string>): string | null {
  const script = scripts['test:unit'] ?? scripts.test ?? '';
  if (/\bnode\b.*--test\b/.test(script)) return 'node:test';
  const known = ['vitest', 'jest', 'mocha', 'ava'];
  return known.find((name) => new RegExp(`\\b${name}\\b`).test(script)) ?? known.find((name) => name in devDependencies) ?? null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
