// Owns making the simulation one file: the real workflow and machines, with stand-ins for Temporal and a memory in front of XState, and a planted defect where one is asked for.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const root = resolve(here, '../..');

/** Bundles the simulation into `outfile`, with a plant or null. Throws when a plant finds nothing to change. */
export async function bundle(outfile, plant) {
  const entry = join(here, 'simulate.ts');
  const plugins = [standIns, ...(plant ? [planting(plant)] : [])];
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning', plugins });
}

const standIns = {
  name: 'stand-ins',
  setup({ onResolve }) {
    onResolve({ filter: /^@temporalio\// }, () => ({ path: join(here, 'stand-in.ts') }));
    onResolve({ filter: /^xstate$/ }, ({ importer }) => (importer.endsWith('memo.ts') ? undefined : { path: join(here, 'memo.ts') }));
  },
};

const planting = ({ file, from, to }) => ({
  name: 'plant',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path !== join(root, file)) return undefined;
      const text = await readFile(path, 'utf8');
      if (!text.includes(from)) throw new Error(`${file}: expected to plant a defect at ${JSON.stringify(from)}, found no such text`);
      return { contents: text.replaceAll(from, to), loader: 'ts' };
    });
  },
});
