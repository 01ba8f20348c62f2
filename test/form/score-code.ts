// Owns the points of the form that the syntax of the sources answers. Must never read a file by itself.
import { forbiddenImports, importCycles } from './imports.js';
import { filledLines, type Point, percent, points } from './points.js';
import { isEffect, isImpure, machinesOf } from './purity.js';
import { bareExports, findNodes, hasHeader, isProduct, type Node, nameOf, percentile, type Source, saysRepeatable } from './source.js';

/** Point 1: depth and files per folder; whether a newcomer finds ten jobs is for a person. */
export function tree(sources: readonly Source[]): Point {
  const folders = groupByFolder(sources);
  const sizes = [...folders.values()];
  const depth = Math.max(...[...folders.keys()].map((folder) => folder.split('/').length - 1));
  return { name: 'the tree tells the story', value: `depth ${depth}, ${folders.size} folders, files per folder ${spread(sizes)}`, proposal: null };
}

/** Point 2. */
export function fileLengths(sources: readonly Source[]): Point {
  const lengths = sources.filter(isProduct).map(({ lines }) => lines.length);
  const kept = [percentile(lengths, 0.5) <= 100, percentile(lengths, 0.9) <= 180, percentile(lengths, 1) <= 250];
  return { name: 'file length', value: spread(lengths), proposal: points(kept) };
}

/** Point 3. */
export function functionLengths(sources: readonly Source[]): Point {
  const functions = sources.filter(isProduct).flatMap((source) => source.functions.filter(({ block }) => block));
  const lengths = functions.map(({ lines }) => lines);
  const long = lengths.filter((length) => length > 70).length;
  const wide = functions.filter(({ params }) => params > 3).length;
  const value = `${spread(lengths)}; over 70 lines ${long} of ${lengths.length}; over 3 parameters ${wide}`;
  return { name: 'function length, parameters', value, proposal: points([percentile(lengths, 0.9) <= 30, long === 0, wide === 0]) };
}

/** Point 4. */
export function imports(sources: readonly Source[]): Point {
  const [forbidden, cycles] = [forbiddenImports(sources).length, importCycles(sources).length];
  return { name: 'one-way imports', value: `${forbidden} forbidden, ${cycles} cycles`, proposal: points([forbidden === 0, cycles === 0]) };
}

/** Point 5: what can be seen in the syntax; the share of walked paths is for a person. */
export function purity(sources: readonly Source[]): Point {
  const machines = machinesOf(sources);
  const [impure, effects] = [findNodes(machines, isImpure).length, findNodes(machines, isEffect).length];
  const walks = sources.filter(
    ({ path, text }) => path.startsWith('test/machines/') && /xstate\/graph|getShortestPaths|getSimplePaths|fc\.assert/.test(text),
  ).length;
  const kept = [impure === 0, effects === 0, walks > 0];
  return { name: 'pure core', value: `${impure} impure calls, ${effects} effects; ${walks} test files walk paths (share: manual)`, proposal: points(kept) };
}

/** Point 6. */
export function types(sources: readonly Source[]): Point {
  const product = sources.filter(isProduct);
  const lines = product.reduce((sum, source) => sum + filledLines(source), 0);
  const per1000 = (isWanted: (node: Node) => boolean): number => (1000 * findNodes(product, isWanted).length) / lines;
  const any = per1000(({ type }) => type === 'TSAnyKeyword');
  const as = per1000((node) => node.type === 'TSAsExpression' && !isConst(node));
  const parses = findNodes(product, (node) => node.type === 'CallExpression' && /^(safeParse|parse)(Async)?$/.test(calledName(node))).length;
  const value = `any ${any.toFixed(1)}, as ${as.toFixed(1)} per 1,000 lines; ${parses} parse calls (boundaries: manual)`;
  return { name: 'types', value, proposal: points([any === 0, as <= 4]) };
}

/** Point 7. */
export function errors(sources: readonly Source[]): Point {
  const list = sources.find(({ path }) => path === 'machines/contract/failure.ts');
  const kinds = [
    ...new Set(
      list?.nodes.filter(({ node, parent }) => parent?.type === 'ArrayExpression' && node.type === 'Literal').flatMap(({ node }) => nameOf(node) ?? []),
    ),
  ];
  const tests = sources.filter(({ path }) => path.endsWith('.test.ts')).map(({ text }) => text);
  const tested = kinds.filter((kind) => tests.some((text) => text.includes(`'${kind}'`))).length;
  const byText = findNodes(sources.filter(isProduct), (node) => node.type === 'CallExpression' && decidesByMessage(node)).length;
  const value = `${tested} of ${kinds.length} kinds named in tests; ${byText} decisions by message text`;
  return { name: 'errors', value, proposal: points([kinds.length > 0 && tested === kinds.length, byText === 0]) };
}

/** Point 9. */
export function comments(sources: readonly Source[]): Point {
  const product = sources.filter(isProduct);
  const commented = product.reduce((sum, source) => sum + commentLines(source), 0);
  const share = commented / product.reduce((sum, source) => sum + filledLines(source), 0);
  const exported = product.reduce((sum, source) => sum + source.exports.length, 0);
  const told = 1 - product.flatMap(bareExports).length / exported;
  const headers = product.filter(hasHeader).length / product.length;
  const silent = product.filter((source) => !saysRepeatable(source)).length;
  const value = `${percent(share)} of lines; exports ${percent(told)}; headers ${percent(headers)}; activities without a reason ${silent}`;
  return { name: 'comments', value, proposal: points([share >= 0.08 && share <= 0.15, told >= 0.95, headers === 1 && silent === 0]) };
}

const spread = (values: readonly number[]): string => [0.5, 0.9, 1].map((share) => percentile(values, share)).join('/');

function groupByFolder(sources: readonly Source[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { path } of sources.filter(isProduct)) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return sizes;
}

function commentLines({ comments: found, lineAt }: Source): number {
  const touched = new Set<number>();
  for (const { start, end } of found) for (let line = lineAt(start); line <= lineAt(end); line += 1) touched.add(line);
  return touched.size;
}

function isConst(node: Node): boolean {
  const { typeName } = node.typeAnnotation as Node;
  return nameOf(typeName) === 'const';
}

function calledName(node: Node): string {
  const callee = node.callee as Node;
  return nameOf(callee.property) ?? nameOf(callee) ?? '';
}

function decidesByMessage(node: Node): boolean {
  const isMessage = (part: unknown): boolean => nameOf((part as Node | undefined)?.property) === 'message';
  const callee = node.callee as Node;
  if (/^(includes|startsWith|endsWith|match|indexOf|search)$/.test(calledName(node))) return isMessage(callee.object);
  return calledName(node) === 'test' && isMessage((node.arguments as Node[])[0]);
}
