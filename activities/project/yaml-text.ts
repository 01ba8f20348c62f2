// Owns turning YAML text into a value whose parts can be found again by line. Bounded, and never throws: whatever is wrong becomes a problem in words.
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { ConfigProblem } from './config-problem.js';

/** Largest YAML file that is read, in bytes. Finding duplicate keys takes quadratic time, so the bound is what keeps a hostile file from hanging us. */
const yamlBytesMax = 65_536;
/** Most aliases (`*name`) that a file may expand to. */
const aliasesMax = 100;
/** Most syntax problems that are told at once; more are only echoes of the first. */
const problemsMax = 5;

/** Keys and indexes from the top of a file to one of its values. */
export type YamlPath = readonly PropertyKey[];

/** A parsed file with the place of each of its parts (1-based), or what is wrong with it. */
export type YamlReading =
  | { ok: true; value: unknown; placeOf: (path: YamlPath) => { line: number; column: number } }
  | { ok: false; problems: ConfigProblem[] };

/** Parses the text of one file, named `fileName` in problems. A byte-order mark and CRLF are accepted. */
export function parseYaml(text: string, fileName: string): YamlReading {
  const unfit = unfitText(text);
  if (unfit) return { ok: false, problems: [{ path: '', line: null, column: null, message: `${fileName}: ${unfit}` }] };
  const source = text.replace(/^\uFEFF/, '');
  const lineCounter = new LineCounter();
  const placeAt = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problemAt = (offset: number, text: string): ConfigProblem => {
    const place = placeAt(offset);
    return { path: '', ...place, message: `${fileName}:${place.line}: ${text}` };
  };
  const document = parseDocument(source, { lineCounter, prettyErrors: false, logLevel: 'error' });
  const faults = [...document.errors, ...document.warnings].slice(0, problemsMax);
  if (faults.length > 0) return { ok: false, problems: faults.map((fault) => problemAt(fault.pos[0], describe(fault, source))) };
  try {
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    return { ok: true, value, placeOf: (path) => placeAt(offsetOf(document, path)) };
  } catch (error) {
    return { ok: false, problems: [problemAt(0, `expected YAML, found: ${error instanceof Error ? error.message : String(error)}`)] };
  }
}

function unfitText(text: string): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > yamlBytesMax) return `expected at most ${yamlBytesMax} bytes, found ${bytes}`;
  if (text.includes('\0')) return 'expected UTF-8 text, found NUL characters as in UTF-16; save it as UTF-8';
  if (text.includes('\uFFFD')) return 'expected UTF-8 text, found bytes that are not UTF-8; save it as UTF-8';
  return null;
}

function describe({ code, message, pos }: YAMLError, source: string): string {
  const [offset] = pos;
  if (code === 'DUPLICATE_KEY') return `expected every key once, found ${JSON.stringify(/^[^:\r\n]{0,60}/.exec(source.slice(offset))?.[0] ?? '')} again`;
  if (code === 'TAB_AS_INDENT') return 'expected spaces as indentation, found a tab';
  if (code === 'MULTIPLE_DOCS') return 'expected one document, found a second one behind "---"';
  if (source[offset] === ',') return 'expected the next key or value, found a comma; outside of [] and {} YAML needs none';
  return `expected YAML, found: ${message}`;
}

function offsetOf(document: ReturnType<typeof parseDocument>, path: YamlPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    const items: { at: unknown; value: unknown }[] = isMap(node)
      ? node.items.filter(({ key }) => String(isScalar(key) ? key.value : key) === String(part)).map(({ key, value }) => ({ at: key, value }))
      : isSeq(node)
        ? node.items.slice(Number(part), Number(part) + 1).map((value) => ({ at: value, value }))
        : [];
    const [item] = items;
    if (!item) return offset;
    offset = isNode(item.at) && item.at.range ? item.at.range[0] : offset;
    node = item.value;
  }
  return offset;
}
