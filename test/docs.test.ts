// Documents cannot rot: what they name exists, and the README's first command is the one that is tried.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources } from './form/source.js';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('ARCHITECTURE', () => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| ([IF]\d+) \| .*? \| `(.*?)` › (.*?) \|$/gm)].map(([, id = '', file = '', name = '']) => ({
    id,
    file,
    name,
  }));

  test('lists invariants and faults', () => expect(rows.length).toBeGreaterThan(40));

  test.each(rows)('$id names a test that exists', ({ file, name }) => {
    expect(read(file)).toContain(name);
  });
});

describe.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s', (document) => {
  test('names only files that exist', () => {
    const named = [...read(document).matchAll(/`((?:machines|workflows|activities|worker|cli|test)\/[\w./-]*)`/g)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('links only to files that exist', () => {
    const linked = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('README', () => {
  const text = read('README.md');
  const commands = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim());

  test('its two commands are scripts of the package', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(commands.slice(0, 2)).toEqual(['npm run demo', 'npm test']);
    expect(scripts).toMatchObject({ demo: expect.any(String), test: expect.any(String) });
  });

  test('every command of the program is in it, and every one in it is of the program', () => {
    const declared = readSources()
      .filter(({ path }) => path.startsWith('cli/commands-'))
      .flatMap(({ text: source }) => [...source.matchAll(/(?:\.command|add)\('([a-z-]+)'/g)].map(([, name = '']) => name));
    const table = text.slice(text.indexOf('| command |'), text.indexOf('Exit codes:'));
    expect(declared.filter((name) => !new RegExp(`\\b${name}\\b`).test(table))).toEqual([]);
    const named = [...text.matchAll(/\bpdlc ([a-z-]+)/g)].map(([, name = '']) => name).filter((name) => !['takes', 'on', 'status'].includes(name));
    expect(named.filter((name) => !declared.includes(name))).toEqual([]);
  });

  test('every key of pdlc.yaml is in it', () => {
    const keys = Object.keys((JSON.parse(read('pdlc.schema.json')) as { properties: object }).properties);
    const example = text.slice(text.indexOf('### pdlc.yaml'), text.indexOf('### What an agent'));
    expect(keys.filter((key) => !example.includes(key))).toEqual([]);
  });
});
