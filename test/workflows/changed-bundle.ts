// Owns the workflow bundle with one source file changed: the changed file is compiled anew and put in the place of the built one, in milliseconds instead of a second for a whole bundle.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { transformSync } from 'esbuild';

/** One change of a source file: `from` stands there exactly once. */
export type Change = { file: string; from: string; to: string };

const root = resolve(import.meta.dirname, '../..');

/** The bundle as it is built. */
export const builtBundle = readFileSync(resolve(root, 'dist/workflows/bundle.js'), 'utf8');

/** The built bundle with a change; throws when its `from` is not in the file exactly once, since it would then test nothing. */
export function changedBundle({ file, from, to }: Change): string {
  const source = readFileSync(resolve(root, file), 'utf8');
  const found = source.split(from).length - 1;
  if (found !== 1) throw new Error(`${file}: expected the text once, found it ${found} times: ${from}`);
  const { code } = transformSync(
    source.replace(from, () => to),
    { loader: 'ts', format: 'cjs' },
  );
  const { start, end, ids } = moduleIn(builtBundle, file);
  const body = `(module, exports, __webpack_require__) { const require = (name) => Object.assign({}, ...${JSON.stringify(ids)}[name].map((id) => __webpack_require__(id)));\n${code}\n`;
  return builtBundle.slice(0, start) + body + builtBundle.slice(end);
}

/** Where a module's function lies in the bundle, without its last brace, and the bundle's ids of everything it imports: one package may lie there as several modules. */
function moduleIn(bundle: string, file: string): { start: number; end: number; ids: Record<string, string[]> } {
  const head = bundle.indexOf(`/***/ "./.dist-next/${file.replace(/\.ts$/, '.js')}"`);
  const start = bundle.indexOf('*/\n(', head + 6) + 3;
  const end = bundle.indexOf('\n/***/ }', start);
  if (head === -1 || end === -1) throw new Error(`${file}: expected it in the bundle, found no such module`);
  const imports = bundle.slice(start, end).matchAll(/__webpack_require__\(\/\*! (\S+) \*\/ "([^"]+)"\)/g);
  const ids: Record<string, string[]> = {};
  for (const [, name = '', id = ''] of imports) ids[name] = [...(ids[name] ?? []), id];
  return { start, end, ids };
}
