// Real repositories for the tests of git: a user's repository with trip wires, and a run on top of it.
// Must never touch a repository outside the run's temp root.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureTree } from '../../../activities/git/agent-tree.js';
import { capture } from '../../../activities/git/capture.js';
import { attemptRef, ensureEngine } from '../../../activities/git/engine-repo.js';
import { createGit } from '../../../activities/git/git.js';
import { findRepository, type Repository } from '../../../activities/git/read.js';
import { cleanEnv, tempDir } from '../../helpers/temp.js';

const root = tempDir('git');

/** A fresh folder for one test; removed after the test file. */
export const freshDir = (prefix: string): string => mkdtempSync(join(root, `${prefix} `));

/** The runner under test, with the PATH of the tests. */
export const git = createGit({ path: process.env.PATH ?? '' });
/** The branch that runs of the tests work on. */
export const branch = 'pdlc/F1';
/** A state file as the base of the tests holds it. */
export const statePath = 'docs/.pdlc-state/F1.json';
/** A fixed time for commits, epoch ms. */
export const atMs = 1_700_000_000_000;

/** Runs git as a person or an agent would, in a folder; returns what it printed. */
export function shellGit(dir: string, args: readonly string[], env: Record<string, string> = {}): string {
  const identity = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd: dir, env: cleanEnv(env), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Writes files below a folder; names ending in .sh become executable. */
export function put(dir: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
    if (path.endsWith('.sh')) chmodSync(join(dir, path), 0o755);
  }
}

/** A user's repository with one commit, at a path that needs quoting. */
export function makeRepo(files: Record<string, string | Uint8Array> = baseFiles, name = `-it's "quoted" é:x`): string {
  const dir = join(freshDir('repo'), name);
  mkdirSync(dir);
  shellGit(dir, ['init', '-q']);
  put(dir, files);
  shellGit(dir, ['add', '-A', '--force']);
  shellGit(dir, ['commit', '-qm', 'base']);
  return dir;
}

/** What the base commit of a test holds unless it says otherwise. */
export const baseFiles = {
  'src/a.js': 'export const a = 1;\n',
  'run.sh': '#!/bin/sh\n',
  'README.md': 'hello\n',
  '.gitignore': 'ignored/\n',
  [statePath]: '{"feature_id":"F1"}\n',
};

/** Makes every hook, filter, alias, pager and signer of a git directory write into `wire` when it runs. */
export function armTripWires(gitDir: string, wire: string): void {
  const trip = `#!/bin/sh\necho "$0" >> '${wire}'\n`;
  put(dirname(wire), { 'trip.sh': trip });
  const hooks = [
    'post-checkout',
    'reference-transaction',
    'pre-commit',
    'post-commit',
    'post-index-change',
    'update',
    'post-update',
    'pre-receive',
    'pre-auto-gc',
  ];
  for (const hook of hooks) {
    mkdirSync(join(gitDir, 'hooks'), { recursive: true });
    writeFileSync(join(gitDir, 'hooks', hook), trip, { mode: 0o755 });
  }
  const command = JSON.stringify(`'${join(dirname(wire), 'trip.sh')}'`);
  const sections = {
    core: ['fsmonitor', 'pager', 'sshCommand', 'editor'],
    alias: ['add', 'fetch'],
    gpg: ['program'],
    'filter "trip"': ['clean', 'smudge', 'process'],
    'diff "trip"': ['textconv', 'command'],
    uploadpack: ['packObjectsHook'],
  };
  const lines = Object.entries(sections).flatMap(([section, keys]) => [`[${section}]`, ...keys.map((key) => `\t${key} = ${command}`)]);
  appendFileSync(join(gitDir, 'config'), `${lines.join('\n')}\n[commit]\n\tgpgSign = true\n[gc]\n\tauto = 1\n`);
}

/** Every file, link and folder below a path with its content's digest, so that two moments compare as whole values. */
export function snapshot(dir: string, isLeftOut: (path: string) => boolean = () => false): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const name of readdirSync(join(dir, path)).sort()) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (isLeftOut(inner)) continue;
      const { mode, isLink, isFolder } = kindOf(join(dir, inner));
      if (isFolder) walk(inner);
      const content = isFolder ? '' : isLink ? readlinkSync(join(dir, inner)) : readFileSync(join(dir, inner));
      found[inner] = `${mode.toString(8)} ${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
    }
  };
  walk('');
  return found;
}

function kindOf(path: string): { mode: number; isLink: boolean; isFolder: boolean } {
  const found = lstatSync(path);
  return { mode: found.mode, isLink: found.isSymbolicLink(), isFolder: found.isDirectory() };
}

/** A run on a repository: the folders of section "host layout", the agent's tree made at the base. */
export type Scene = { repo: Repository; base: string; runDir: string; cacheDir: string; engineDir: string; tree: string };

/** Starts a run on a fresh (or the given) repository. */
export async function makeScene(dir = makeRepo()): Promise<Scene> {
  const home = freshDir('home');
  const repo = await findRepository(dir, git);
  const paths = { runDir: join(home, 'run "é" 1'), cacheDir: join(home, 'cache') };
  const engineDir = await ensureEngine({ git, repo, base: repo.head, tip: repo.head, ...paths });
  const tree = await ensureTree({ git, engineDir, runDir: paths.runDir, branch, commit: repo.head });
  return { repo, base: repo.head, engineDir, tree, ...paths };
}

/** Captures the tree of a scene with fixed words. */
export function captureScene({ engineDir, tree, base }: Scene, change: Partial<Parameters<typeof capture>[0]> = {}) {
  const ref = attemptRef('tdd-1-1');
  return capture({
    git,
    engineDir,
    tree,
    tip: base,
    parent: base,
    ref,
    message: 'tdd: attempt 1',
    trailers: { 'Pdlc-Run': 'r1', 'Pdlc-Stage': 'tdd' },
    atMs,
    ...change,
  });
}

/** The paths of a commit in the engine repository, sorted. */
export function pathsOf({ engineDir }: Scene, commit: string): string[] {
  return shellGit(engineDir, ['ls-tree', '-r', '-z', '--name-only', commit]).split('\0').filter(Boolean).sort();
}

/** Lines that trip wires wrote; empty when none ran. */
export const trippedIn = (wire: string): string => (existsSync(wire) ? readFileSync(wire, 'utf8') : '');
