// Owns what a problem in configuration says to a person: the key, what was expected, what was found, and the nearest right key. Pure.
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { descriptionAt, jsonSchemaOf, keysAt, type SchemaNode } from './json-schema.js';

/** A problem with one key of a configuration; `path` is dotted and empty for the whole file, `line` and `column` count from 1 (null: in no file). */
export type ConfigProblem = { path: string; line: number | null; column: number | null; message: string };

/** One thing that is wrong: where, and a sentence. */
export type Finding = { path: PropertyKey[]; text: string };

type Issue = z.core.$ZodIssue;

/** Explains why `value` does not fit `schema`; `issues` are the schema's own. */
export function explain(issues: readonly Issue[], { schema, value }: { schema: z.ZodType; value: unknown }): Finding[] {
  const tree = jsonSchemaOf(schema);
  return issues
    .flatMap((issue) => leavesOf(issue, []))
    .flatMap((leaf) => (leaf.issue.code === 'unrecognized_keys' ? unknownKeys(leaf.issue, leaf.path, tree) : [wrongValue(leaf, tree, value)]));
}

/** Dotted text of a path: `agent.command[0]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`)).join('');
}

type Leaf = { issue: Issue; path: PropertyKey[] };

/** The issues that matter: in a union only those of the branch that was meant, which is one whose kind of value fits. */
function leavesOf(issue: Issue, base: readonly PropertyKey[]): Leaf[] {
  const path = [...base, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ issue, path }];
  const meant = issue.errors.find((branch) => !branch.some(isWrongKind));
  return meant ? meant.flatMap((inner) => leavesOf(inner, path)) : [{ issue, path }];
}

const isWrongKind = ({ code, path }: Issue): boolean => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');

function unknownKeys({ keys }: Extract<Issue, { code: 'unrecognized_keys' }>, at: readonly PropertyKey[], tree: SchemaNode): Finding[] {
  const expected = keysAt(tree, at);
  return keys.map((key) => {
    const path = [...at, key];
    return { path, text: `unknown key "${pathText(path)}": expected one of ${expected.join(', ')}${suggestion(key, expected)}` };
  });
}

function wrongValue({ issue, path }: Leaf, tree: SchemaNode, value: unknown): Finding {
  if (issue.code === 'custom') return { path, text: prefixed(path, issue.message) };
  if (issue.code === 'invalid_key') return { path, text: prefixed(path.slice(0, -1), `expected a name${patternIn(issue)}, found "${String(path.at(-1))}"`) };
  const found = valueAt(value, path);
  const expected = descriptionAt(tree, path) ?? expectedBy(issue);
  const near = issue.code === 'invalid_value' && typeof found === 'string' ? suggestion(found, issue.values.map(String)) : '';
  return { path, text: prefixed(path, `expected ${expected}, found ${show(found, path)}${near}`) };
}

const kinds: Record<string, string> = {
  object: 'keys with values',
  record: 'keys with values',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
};

function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected;
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap((branch) => branch.filter(isWrongKind).map(expectedBy)))].join(' or ');
    case 'invalid_value':
      return issue.values.length === 1 ? JSON.stringify(issue.values[0]) : `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int' ? `at least ${issue.minimum}` : 'something that is not empty';
    case 'too_big':
      return `at most ${issue.maximum}`;
    default:
      return `another value (${issue.message})`;
  }
}

function patternIn({ issues }: Extract<Issue, { code: 'invalid_key' }>): string {
  const [inner] = issues;
  return inner?.code === 'invalid_format' && inner.pattern ? ` like ${inner.pattern}` : '';
}

const prefixed = (path: readonly PropertyKey[], text: string): string => (path.length > 0 ? `${pathText(path)}: ${text}` : text);

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined), value);
}

function show(value: unknown, path: readonly PropertyKey[]): string {
  if (value === null || value === undefined) return path.length === 0 ? 'an empty file' : 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'keys with values';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The nearest of the expected words, unless it is so far away that it would be a guess. */
function suggestion(word: string, expected: readonly string[]): string {
  const ranked = expected.map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) })).sort((a, b) => a.far - b.far);
  const [nearest] = ranked;
  return nearest && nearest.far <= Math.ceil(word.length / 3) ? `; did you mean "${nearest.candidate}"?` : '';
}
