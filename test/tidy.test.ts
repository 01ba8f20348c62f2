// Holds the house rules as ordinary tests over every TypeScript file of the repository, tracked or new.
// Must never exempt a file from a rule: a rule that does not fit is changed for all.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forbiddenImports, importCycles } from './form/imports.js';
import { isEffect, isImpure, machinesOf } from './form/purity.js';
import {
  bareExports,
  findNodes,
  hasHeader,
  isMember,
  isProduct,
  listFiles,
  type Node,
  nameOf,
  percentile,
  readSources,
  root,
  type Source,
  saysRepeatable,
} from './form/source.js';

const files = listFiles();
const sources = readSources();
const product = sources.filter(isProduct);
const machines = machinesOf(sources);
const config = /^[a-z-]+\.config\.ts$/;

test('the house rules see the files of the repository', () => {
  expect(product.length).toBeGreaterThan(0);
  expect(machines.length).toBeGreaterThan(0);
});

describe('the tree', () => {
  test('every top-level folder is one of the six or a dot folder', () => {
    const folders = new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0] ?? ''));
    const known = ['workflows', 'activities', 'machines', 'worker', 'cli', 'test'];
    expect([...folders].filter((folder) => !known.includes(folder) && !folder.startsWith('.'))).toEqual([]);
  });

  test('files lie at most 1 folder below a top-level folder, 2 in test', () => {
    const tooDeep = sources.filter(({ path }) => path.split('/').length > (path.startsWith('test/') ? 4 : 3));
    expect(tooDeep.map(({ path }) => path)).toEqual([]);
  });

  test('file names are kebab-case', () => {
    expect(sources.map(({ path }) => path).filter((path) => !/(^|\/)[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config)?\.ts$/.test(path))).toEqual([]);
  });

  test('imports go only in the allowed directions', () => {
    expect(forbiddenImports(sources)).toEqual([]);
  });

  test('no files import each other in a cycle', () => {
    expect(importCycles(sources)).toEqual([]);
  });
});

describe('sizes', () => {
  test('no file is longer than 250 lines', () => {
    expect(sources.filter(({ lines }) => lines.length > 250).map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([]);
  });

  test('half of the source files have at most 100 lines, nine of ten at most 180', () => {
    const lengths = product.map(({ lines }) => lines.length);
    expect(percentile(lengths, 0.5)).toBeLessThanOrEqual(100);
    expect(percentile(lengths, 0.9)).toBeLessThanOrEqual(180);
  });

  test('no function is longer than 70 lines', () => {
    const tooLong = eachFunction(sources, (fn) => !fn.suite && fn.lines > 70);
    expect(tooLong).toEqual([]);
  });

  test('nine of ten functions have at most 30 lines', () => {
    const lengths = product.flatMap(({ functions }) => functions.filter(({ block }) => block).map(({ lines }) => lines));
    expect(percentile(lengths, 0.9)).toBeLessThanOrEqual(30);
  });

  test('no function takes more than 3 parameters', () => {
    expect(eachFunction(sources, ({ params }) => params > 3)).toEqual([]);
  });
});

describe('comments', () => {
  test('every file opens with 1 to 4 comment lines', () => {
    expect(sources.filter((source) => !hasHeader(source)).map(({ path }) => path)).toEqual([]);
  });

  test('every exported declaration has its contract right above it', () => {
    expect(sources.filter(({ path }) => !config.test(path)).flatMap(bareExports)).toEqual([]);
  });

  test('every activity says why repeating it is safe', () => {
    expect(sources.filter((source) => !saysRepeatable(source)).map(({ path }) => path)).toEqual([]);
  });

  test('nothing is left to be done later', () => {
    expect(
      eachLine(
        files.filter((path) => /\.(ts|mjs|sh)$/.test(path)),
        /\b(TO[D]O|FI[X]ME|X[X]X)\b/,
      ),
    ).toEqual([]);
  });
});

describe('types and exports', () => {
  test('no type is any', () => {
    expect(findNodes(sources, ({ type }) => type === 'TSAnyKeyword')).toEqual([]);
  });

  test('every export has a name of its own', () => {
    const others = sources.filter(({ path }) => !config.test(path));
    expect(findNodes(others, ({ type }) => type === 'ExportDefaultDeclaration' || type === 'ExportAllDeclaration')).toEqual([]);
  });
});

describe('purity', () => {
  test('the environment is read in worker/main.ts and cli/main.ts only', () => {
    const others = product.filter(({ path }) => path !== 'worker/main.ts' && path !== 'cli/main.ts');
    const isImported = (node: Node): boolean => node.type === 'ImportDeclaration' && /^(node:)?process$/.test(nameOf(node.source) ?? '');
    expect(findNodes(others, (node) => isMember(node, 'process', 'env') || isImported(node))).toEqual([]);
  });

  test('machines know no clock, no chance and no process', () => {
    expect(findNodes(machines, isImpure)).toEqual([]);
  });

  test('machines start nothing by themselves: no invoke, no after, no actor', () => {
    expect(findNodes(machines, isEffect)).toEqual([]);
  });

  test('machines have no state and no event for shipping or deploying', () => {
    // A value of the state file such as pdlc-ship is data and does not match: a name is one word, or words with dots between them.
    const isName = (node: Node): boolean => /^(\w+\.)*(ship|deploy)(ped|ping|ed|ing|ment)?(\.\w+)*$/i.test(nameOf(node) ?? '');
    expect(findNodes(machines, (node) => (node.type === 'Literal' || node.type === 'Identifier') && isName(node))).toEqual([]);
  });
});

describe('what the project says about itself', () => {
  test('no file names a folder of the machine it was written on', () => {
    expect(eachLine(files, /(^|[\s"'`(=:])\/(work|root)\//)).toEqual([]);
  });

  test('no file names the host of a package registry', () => {
    expect(eachLine(files, /\bregistry\.[\w-]+\.\w|npmm[i]rror|artif[a]ctory|jfr[o]g|py[p]i\.org|python[h]osted/i)).toEqual([]);
  });
});

function eachFunction(among: readonly Source[], isBad: (fn: Source['functions'][number]) => boolean): string[] {
  return among.flatMap(({ path, functions }) =>
    functions.filter(isBad).map(({ line, lines, params }) => `${path}:${line} (${lines} lines, ${params} parameters)`),
  );
}

function eachLine(among: readonly string[], bad: RegExp): string[] {
  return among.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    return lines.flatMap((line, index) => (bad.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 120)}`] : []));
  });
}
