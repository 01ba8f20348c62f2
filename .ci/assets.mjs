// Owns what dist holds besides compiled files: scripts, texts, the demo, and the workflow bundle.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const assets = [
  { below: 'activities', is: (file) => file.endsWith('.sh') || file.endsWith('.md') },
  { below: 'cli', is: (file) => file.endsWith('.md') },
  { below: join('cli', 'demo'), is: (file) => !file.endsWith('.ts') },
];

/** Copies every asset to the same path below `to` and makes the command executable. */
export function copyAssets(from, to) {
  for (const { below, is } of assets) {
    for (const file of filesBelow(join(from, below)).filter(is)) {
      const target = join(to, relative(from, file));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
    }
  }
  const command = join(to, 'cli', 'main.js');
  if (existsSync(command)) chmodSync(command, 0o755);
}

/** Writes workflows/bundle.js below `from`: a copy of `reuse`, or bundled anew when that is null or gone. */
export async function bundleWorkflows({ from, reuse }) {
  const workflowsPath = join(from, 'workflows', 'index.js');
  const bundle = join(from, 'workflows', 'bundle.js');
  if (!existsSync(workflowsPath)) return;
  if (reuse !== null && existsSync(reuse)) return copyFileSync(reuse, bundle);
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  writeFileSync(bundle, code);
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
