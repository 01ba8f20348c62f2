// Owns reading the repository's own TypeScript: one parse per file, measured as the house style says. Shared by tidy.test.ts and the score.
// Must never judge: it only tells what is there.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Comment, parseSync, visitorKeys } from 'oxc-parser';

/** The repository's root folder. */
export const root = join(import.meta.dirname, '..', '..');

/** A syntax node: its kind and the offsets of its text; everything else is read by name. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** A function-like node; `lines` from its first to its last line, `block` whether its body is a block, `suite` whether it is only the body of a `describe`. */
export type Fn = { line: number; lines: number; params: number; block: boolean; suite: boolean };

/** An exported declaration (not a re-export) and the comment right above it, null when there is none. */
export type Exported = { name: string; line: number; comment: string | null; asyncFunction: boolean; node: Node };

/** What a file imports or re-exports: a path of the repository for a relative import, otherwise the specifier as written. */
export type Imported = { line: number; target: string };

/** One file and its measures; `path` is relative to the root, with slashes. */
export type Source = {
  path: string;
  text: string;
  lines: string[];
  comments: Comment[];
  nodes: { node: Node; parent: Node | null }[];
  functions: Fn[];
  exports: Exported[];
  imports: Imported[];
  lineAt: (offset: number) => number;
};

/** Paths of every file that is tracked, or new and not ignored. Throws when git cannot tell. */
export function listFiles(): string[] {
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\0');
  return [...new Set(names)].filter((name) => name !== '' && existsSync(join(root, name))).sort();
}

/** Every TypeScript file of the list, parsed. Throws when one does not parse. */
export function readSources(): Source[] {
  return listFiles()
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

/** True for what the house style measures as source: everything outside test/ except configuration at the root. */
export const isProduct = ({ path }: Source): boolean => path.includes('/') && !path.startsWith('test/');

/** Parses one text as the file of that path. Throws when it does not parse. */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: expected TypeScript that parses, found: ${errors[0]?.message}`);
  const lineAt = lineCounter(text);
  // The parser's types are a union of every node; here nodes are read by name.
  const tree = program as unknown as Node;
  const nodes = allNodes(tree);
  const base = { path, text, lines: text.replace(/\n$/, '').split('\n'), comments, nodes, lineAt };
  const functions = nodes.filter(({ node }) => isFunction(node)).map(({ node, parent }) => measureFunction(node, parent, lineAt));
  const exports = (tree.body as Node[]).flatMap((statement) => exportedBy(statement, base));
  return { ...base, functions, exports, imports: importsOf(base) };
}

/** The text of a name that is written as an identifier or a string, null for anything else. */
export function nameOf(node: unknown): string | null {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown };
  if (typeof name === 'string') return name;
  return typeof value === 'string' ? value : null;
}

/** True for `object.property`, as in `process.env`. */
export function isMember(node: Node, object: string, property: string): boolean {
  return node.type === 'MemberExpression' && nameOf(node.object) === object && nameOf(node.property) === property;
}

/** Nodes of a kind, with their places as `file:line text`. */
export function findNodes(among: readonly Source[], isWanted: (node: Node) => boolean): string[] {
  return among.flatMap(({ path, nodes, lines, lineAt }) =>
    nodes.filter(({ node }) => isWanted(node)).map(({ node }) => `${path}:${lineAt(node.start)} ${lines[lineAt(node.start) - 1]?.trim()}`),
  );
}

/** Exported declarations without a contract, as `file:line name`. A type taken from a value is that value, whose own comment is its contract. */
export function bareExports({ path, text, exports }: Source): string[] {
  const isTaken = ({ node }: Exported): boolean => node.type === 'TSTypeAliasDeclaration' && /(<|\()typeof \w+/.test(text.slice(node.start, node.end));
  return exports.filter((exported) => exported.comment === null && !isTaken(exported)).map(({ name, line }) => `${path}:${line} ${name}`);
}

/** True when a file opens with 1 to 4 comment lines, after a line for the shell if there is one. */
export function hasHeader({ lines }: Source): boolean {
  const text = lines[0]?.startsWith('#!') ? lines.slice(1) : lines;
  const header = text.findIndex((line) => !line.startsWith('//'));
  return header >= 1 && header <= 4;
}

/** True unless a file directly in activities/ exports an async function and never says why repeating it is safe. */
export function saysRepeatable({ path, exports, comments }: Source): boolean {
  if (!/^activities\/[^/]+\.ts$/.test(path) || !exports.some(({ asyncFunction }) => asyncFunction)) return true;
  return comments.some(({ value }) => value.includes('Safe to repeat because'));
}

/** The value below which the share of the numbers lies, by upper nearest rank; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}

function allNodes(node: Node, parent: Node | null = null): { node: Node; parent: Node | null }[] {
  const children = (visitorKeys[node.type] ?? []).flatMap((key) => node[key] ?? []) as (Node | null)[];
  return [{ node, parent }, ...children.filter((child) => child !== null).flatMap((child) => allNodes(child, node))];
}

function isFunction(node: Node): boolean {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

function measureFunction(node: Node, parent: Node | null, lineAt: Source['lineAt']): Fn {
  // A method's own text starts at its name, which belongs to the parent.
  const whole = parent?.type === 'MethodDefinition' ? parent : node;
  const line = lineAt(whole.start);
  const suite = parent?.type === 'CallExpression' && /^describe\b/.test(calleeName(parent.callee as Node));
  const block = (node.body as Node | null)?.type === 'BlockStatement';
  return { line, lines: lineAt(node.end) - line + 1, params: (node.params as Node[]).length, block, suite };
}

function calleeName(callee: Node): string {
  const inner = (callee.callee ?? callee.object) as Node | undefined;
  return inner ? calleeName(inner) : (nameOf(callee) ?? '');
}

function exportedBy(statement: Node, { comments, lineAt, text }: Pick<Source, 'comments' | 'lineAt' | 'text'>): Exported[] {
  const declared = statement.declaration as Node | null | undefined;
  if (!statement.type.startsWith('Export') || !declared) return [];
  const line = lineAt(statement.start);
  const above = comments.findLast(({ end }) => end <= statement.start);
  const isRightAbove = above !== undefined && lineAt(above.end) === line - 1 && text.slice(above.end, statement.start).trim() === '';
  const declarators = (declared.declarations as Node[] | undefined) ?? [declared];
  return declarators.map((node) => {
    const functionNode = (node.init ?? node) as Node;
    const asyncFunction = isFunction(functionNode) && functionNode.async === true;
    return { name: nameOf(node.id) ?? 'default', line, comment: isRightAbove ? above.value : null, asyncFunction, node };
  });
}

function importsOf({ path, nodes, lineAt }: Pick<Source, 'path' | 'nodes' | 'lineAt'>): Imported[] {
  return nodes.flatMap(({ node }) => {
    const specifier = nameOf(node.source);
    if (specifier === null || !/^(Import|Export)/.test(node.type)) return [];
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts') : specifier;
    return [{ line: lineAt(node.start), target }];
  });
}
