// Owns what dist holds besides compiled files: scripts, texts, the demo, and the workflow bundle.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const assets = [
  { below: 'activities', is: (file) => file.endsWith('.sh') || file.endsWith('.md') },
  { below: 'cli', is: (file) => file.endsWith('.md') },
  { below: join('cli', 'demo'), is: (file) => !file.endsWith('.ts') },
];

/** Copies every asset to the same path below `to`. */
export function copyAssets(from, to) {
  for (const { below, is } of assets) {
    for (const file of filesBelow(join(from, below)).filter(is)) {
      const target = join(to, relative(from, file));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
    }
  }
}

/** Writes workflows/bundle.js below `from`: a copy of `reuse`, or bundled anew when that is null or gone. */
export async function bundleWorkflows({ from, reuse }) {
  const workflowsPath = join(from, 'workflows', 'index.js');
  const bundle = join(from, 'workflows', 'bundle.js');
  if (!existsSync(workflowsPath)) return;
  if (reuse !== null && existsSync(reuse)) return copyFileSync(reuse, bundle);
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules: [join(from, 'workflows', 'shared.js')], logger: new DefaultLogger('WARN') });
  writeFileSync(bundle, withoutSources(code));
}

/** The same code with a source map that names files and lines but does not carry the sources, which every worker would hold in memory. */
function withoutSources(code) {
  const mark = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';
  const at = code.lastIndexOf(mark);
  if (at === -1) return code;
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(code.slice(at + mark.length), 'base64').toString());
  return `${code.slice(0, at)}${mark}${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
}

/** Messages are in English; zod's other languages are most of its size. */
const withoutLocales = {
  name: 'without-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\\\]zod[/\\\\]v4[/\\\\]locales[/\\\\]index\.js$/ }, () => ({ contents: 'export {};' }));
  },
};

/** Bundles the command line below `from` into few files, so that a command starts in half the time; each command stays a file that is loaded when called. */
export async function bundleCommandLine(from) {
  const { build } = await import('esbuild');
  const cli = join(from, 'cli');
  const bundled = join(from, 'cli-bundled');
  await build({
    entryPoints: [join(cli, 'main.js')],
    outdir: bundled,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [withoutLocales],
    // Packages in CommonJS ask for node's own modules by require.
    banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
  });
  for (const name of readdirSync(cli)) if (name !== 'demo') rmSync(join(cli, name), { recursive: true });
  for (const name of readdirSync(bundled)) renameSync(join(bundled, name), join(cli, name));
  rmSync(bundled, { recursive: true });
  chmodSync(join(cli, 'main.js'), 0o755);
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
