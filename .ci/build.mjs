// Builds dist from the sources; a quick no-op when it already is what these sources and dependencies give.
// Must never leave a half-built dist: one build at a time works in a folder aside, which is then renamed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
// As deep as dist, so that the paths in source maps stay true; it ignores itself.
const next = join(root, '.dist-next');
const old = join(root, 'node_modules', '.pdlc-dist-old');
const sources = ['workflows', 'activities', 'machines', 'worker', 'cli', '.ci', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

if (!isCurrent()) await buildOnce();

function isCurrent() {
  const made = readBuild();
  return made !== null && made.sources === hashOf(root, sources) && made.build === hashOfDist(dist);
}

function readBuild() {
  try {
    return JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8'));
  } catch {
    return null; // Never built, or damaged: both are built again.
  }
}

async function buildOnce() {
  const { default: locks } = await import('proper-lockfile');
  const lockfilePath = join(root, 'node_modules', '.pdlc-build.lock');
  const release = await locks.lock(root, { lockfilePath, stale: 20_000, retries: { retries: 600, factor: 1, minTimeout: 200, maxTimeout: 200 } });
  try {
    if (!isCurrent()) await build();
  } finally {
    rmSync(next, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
    await release();
  }
}

async function build() {
  const hash = hashOf(root, sources); // before compiling: what changes meanwhile is built next time
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next);
  writeFileSync(join(next, '.gitignore'), '*\n');
  await compile();
  const { bundleCommandLine, bundleWorkflows, copyAssets } = await import('./assets.mjs');
  copyAssets(root, next);
  await bundleCommandLine(next);
  const bundleInputs = hashOf(root, ['.dist-next/workflows', '.dist-next/machines', 'package-lock.json', '.ci/assets.mjs']);
  await bundleWorkflows({ from: next, reuse: readBuild()?.bundleInputs === bundleInputs ? join(dist, 'workflows', 'bundle.js') : null });
  rmSync(join(next, '.gitignore'));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(next, 'build.json'), `${JSON.stringify({ version, build: hashOfDist(next), sources: hash, bundleInputs }, null, 2)}\n`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(next, dist);
}

function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', next], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => {
    child.once('exit', (code) => (code === 0 ? resolve() : fail('the compiler reported the errors above')));
    child.once('error', (error) => fail(`${tsc}: ${error.message}`));
  });
}

function fail(found) {
  console.error(`build: expected sources that compile, found that ${found}. Correct them and run: npm run build`);
  rmSync(next, { recursive: true, force: true });
  process.exit(1);
}

/** The sha256 over names and bytes of the files at or below the given paths. */
function hashOf(base, paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesBelow(join(base, path))).sort()) {
    hash.update(`${relative(base, file)}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  }
  return hash.digest('hex');
}

function hashOfDist(folder) {
  const names = readdirSync(folder).filter((name) => name !== 'build.json');
  return hashOf(folder, names);
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}
