// Owns the points of the form that tests, documents and the history of the repository answer. Must never change anything.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filledLines, type Point, percent, points } from './points.js';
import { findNodes, isProduct, listFiles, type Node, nameOf, percentile, root, type Source } from './source.js';

/** Point 8: each way to have no evidence is named by a test; that it is tested end to end is for a person. */
export function evidence(sources: readonly Source[]): Point {
  const ways = [
    /kill/,
    /tim(ed?|ing) ?-?out|timeout|time limit/,
    /\blost\b|vanish|gone/,
    /empty/,
    /malformed|not JSON|does not parse/,
    /not run|never ran|did not run|missing/,
    /tamper|seal/,
  ];
  const names = testNames(sources);
  const covered = ways.filter((way) => names.some((name) => way.test(name))).length;
  return { name: 'no evidence, no pass', value: `${covered} of ${ways.length} ways named by tests (end to end: manual)`, proposal: null };
}

/** Point 10. */
export function surface(sources: readonly Source[]): Point {
  const boundaries = sources.filter(({ path }) => isProduct({ path } as Source) && path.endsWith('/index.ts'));
  const names = findNodes(boundaries, ({ type }) => type === 'ExportSpecifier').length + boundaries.reduce((sum, { exports }) => sum + exports.length, 0);
  const commands = callCount(sources, 'cli/', /^command$/);
  const messages = callCount(sources, 'workflows/', /^define(Signal|Query|Update)$/);
  const keys = configKeys(sources);
  const value = `${names} names at ${boundaries.length} boundaries, ${commands} commands, ${keys} config keys, ${messages} messages`;
  return { name: 'small surface', value, proposal: commands === 0 ? null : points([commands <= 20, keys <= 30]) };
}

/** Point 11: the share of tests with real processes and the wall time are for a person. */
export function testing(sources: readonly Source[]): Point {
  const tests = sources.filter(({ path }) => path.startsWith('test/'));
  const product = sources.filter(isProduct);
  const mirrored = product.filter(({ path }) => tests.some((test) => test.path === `test/${path.replace(/\.ts$/, '.test.ts')}`)).length / product.length;
  const lines = (of: readonly Source[]): number => of.reduce((sum, source) => sum + filledLines(source), 0);
  const ratio = lines(tests) / lines(product);
  const vague = testNames(sources).filter((name) => /\bshould\b/.test(name)).length;
  const value = `${percent(mirrored)} at the same path, test:source ${ratio.toFixed(1)}, ${vague} names with should (processes, time: manual)`;
  return { name: 'tests', value, proposal: points([mirrored >= 0.8, ratio >= 0.8, vague === 0]) };
}

/** Point 12; that nothing is left after the suite is proved by every run (test/global-setup.ts). */
export function durability(sources: readonly Source[]): Point {
  const names = testNames(sources).filter((name) => /kill|restart|dies|crash/.test(name));
  const victims = [/worker/, /server/, /supervisor/].filter((victim) => names.some((name) => victim.test(name))).length;
  const histories = listFiles().filter((path) => path.startsWith('test/histories/')).length;
  const value = `${victims} of 3 victims named by kill tests, ${histories} histories, leftovers fail the run`;
  return { name: 'durability proofs', value, proposal: points([victims === 3, histories > 0]) };
}

/** Point 13. */
export function manners(sources: readonly Source[]): Point {
  const strict = sources.some(({ path, text }) => path === 'machines/contract/config.ts' && /configFileSchema = z\.strictObject/.test(text));
  const json = findNodes(sources, (node) => node.type === 'Literal' && /^--json\b/.test(nameOf(node) ?? '')).length;
  return { name: 'config and CLI manners', value: `unknown keys ${strict ? 'rejected' : 'accepted'}, --json named ${json} times`, proposal: null };
}

/** Point 14: guarantees of ARCHITECTURE.md whose line names a test that exists. */
export function docs(sources: readonly Source[]): Point {
  const names = testNames(sources);
  const files = listFiles();
  const guarantees = readText('ARCHITECTURE.md')
    .split('\n')
    .filter((line) => /\bG\d+\b/.test(line));
  const isProved = (line: string): boolean =>
    names.some((name) => line.includes(name)) || files.some((path) => path.endsWith('.test.ts') && line.includes(path));
  const proved = guarantees.filter(isProved).length;
  const value = `${proved} of ${guarantees.length} guarantees name a test (quick start in CI: manual)`;
  return { name: 'docs that cannot rot', value, proposal: null };
}

/** Point 15; dead exports are found by knip, in `npm run check`. */
export function habits(sources: readonly Source[]): Point {
  const commits = gitLog();
  const subjects = commits.map(([subject = '']) => subject.length);
  const bodies = commits.filter(([, body = '']) => body.trim() !== '').length / commits.length;
  const { dependencies = {} } = JSON.parse(readText('package.json')) as { dependencies?: Record<string, string> };
  const runtime = Object.keys(dependencies).filter((name) => !name.startsWith('@temporalio/')).length;
  const later = sources.filter(({ text }) => /\bTO[D]O\b/.test(text)).length;
  const value = `subject median ${percentile(subjects, 0.5)}, ${percent(bodies)} with a body, ${runtime} dependencies besides Temporal, ${later} files with open ends`;
  return { name: 'habits', value, proposal: commits.length === 0 ? null : points([percentile(subjects, 0.5) <= 65, bodies >= 0.9, runtime <= 6, later === 0]) };
}

function testNames(sources: readonly Source[]): string[] {
  const tests = sources.filter(({ path }) => path.endsWith('.test.ts')).flatMap(({ nodes }) => nodes.map(({ node }) => node));
  return tests
    .filter((node) => node.type === 'CallExpression' && /^(test|it)$/.test(rootName(node.callee as Node)))
    .flatMap((node) => nameOf((node.arguments as Node[])[0]) ?? []);
}

function rootName(callee: Node): string {
  const inner = (callee.callee ?? callee.object ?? callee.tag) as Node | undefined;
  return inner ? rootName(inner) : (nameOf(callee) ?? '');
}

function callCount(sources: readonly Source[], folder: string, name: RegExp): number {
  const isCall = ({ type, callee }: Node): boolean => type === 'CallExpression' && name.test(nameOf((callee as Node).property ?? callee) ?? '');
  return findNodes(
    sources.filter(({ path }) => path.startsWith(folder)),
    isCall,
  ).length;
}

function configKeys(sources: readonly Source[]): number {
  const shapes = sources.filter(({ path }) => path === 'machines/contract/config.ts' || path === 'machines/contract/limits.ts');
  const declared = shapes.flatMap(({ exports }) => exports).filter(({ name }) => /^(configFile|limitsConfig)Schema$/.test(name));
  const objects = declared.map(({ node }) => ((node.init as Node | null)?.arguments as Node[] | undefined)?.[0]);
  return objects.reduce((sum, object) => sum + ((object?.properties as Node[] | undefined)?.length ?? 0), 0);
}

function readText(file: string): string {
  return listFiles().includes(file) ? readFileSync(join(root, file), 'utf8') : '';
}

function gitLog(): string[][] {
  try {
    const log = execFileSync('git', ['log', '--no-merges', '-300', '--format=%s%x1f%b%x1e'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return log
      .split('\x1e')
      .map((entry) => entry.trim().split('\x1f'))
      .filter(([subject]) => subject !== '');
  } catch {
    return []; // a repository without a commit
  }
}
