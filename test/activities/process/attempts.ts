// Attempts for tests of the process folder: fresh folders, requests, waiting for a condition, and proof that nothing is left.
// Must never leave a process or a folder behind, whatever a test did.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';
import { filesOf } from '../../../activities/process/control-dir.js';
import { readIdentity } from '../../../activities/process/identity.js';
import { attachOrStart, type Handle, type StartRequest } from '../../../activities/process/launch.js';
import { sweep } from '../../../activities/process/sweep.js';
import { type Beat, type Limits, type ProcessExit, watch } from '../../../activities/process/watch.js';
import { cleanEnv, tempDir } from '../../helpers/temp.js';

const untilMs = 20_000;
const root = tempDir('process');
const tokens = new Set<string>();

afterEach(async () => {
  for (const token of tokens) expect(await sweep(token)).toMatchObject({ clean: true });
  tokens.clear();
});

/** A fresh folder whose path has a space and an accent; removed after the test file. */
export function freshFolder(): string {
  return mkdtempSync(join(root, 'attempt '));
}

/** A fresh token; everything that carries it is killed after the test. */
export function freshToken(): string {
  const token = `test.${randomUUID()}`;
  tokens.add(token);
  return token;
}

/** A request for a command in a fresh folder, by default with an empty prompt. */
export function request(argv: [string, ...string[]], change: Partial<StartRequest> = {}): StartRequest {
  const folder = freshFolder();
  // A PATH of its own, because a folder on it that may not be read turns "not found" into "not executable".
  const env = cleanEnv({ PATH: '/usr/bin:/bin' });
  return { dir: join(folder, 'control'), token: freshToken(), argv, cwd: folder, env, prompt: '', ...change };
}

/** A request for a line of shell. */
export function shell(script: string, change: Partial<StartRequest> = {}): StartRequest {
  return request(['/bin/sh', '-c', script], change);
}

/** Starts a request and returns the handle, which must be running or already finished. */
export async function begin(wanted: StartRequest): Promise<Handle> {
  const handle = await attachOrStart(wanted);
  expect(handle.state).not.toBe('lost');
  return handle;
}

/** Watches with generous limits, changed as asked. */
export function end(handle: Handle, change: Partial<Limits> & { signal?: AbortSignal; onBeat?: (beat: Beat) => void } = {}): Promise<ProcessExit> {
  const { signal = new AbortController().signal, onBeat = () => {}, ...limits } = change;
  return watch(handle, { signal, onBeat, graceMs: 200, limits: { wallMs: 60_000, outputBytesMax: 50_000_000, ...limits } });
}

/** Starts a request and watches it to its end. */
export async function run(wanted: StartRequest): Promise<ProcessExit> {
  return end(await begin(wanted));
}

/** What the command printed on stdout. */
export function outOf({ dir }: { dir: string }): string {
  return readFileSync(filesOf(dir).out, 'utf8');
}

/** Waits until the condition holds and returns what it returned; fails after 20 s. */
export async function until<T>(condition: () => T | null | undefined | false | Promise<T | null | undefined | false>): Promise<T> {
  const deadline = performance.now() + untilMs;
  for (;;) {
    const value = await condition();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Expected within ${untilMs} ms: ${condition}`);
    await sleep(5);
  }
}

/** The number that the command wrote into a file of its working directory, once the whole line is there. */
export function pidIn(file: string): Promise<number> {
  return until(() => {
    const text = readText(file);
    return text.endsWith('\n') && Number(text);
  });
}

/** The text of a file, empty as long as it does not exist. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** True once no live process has this pid. */
export function isGone(pid: number): boolean {
  return readIdentity(pid) === null;
}

/** Compiles the process folder for use by plain node and returns the URL of its launch module. */
export function compileLaunch(): string {
  const sources = resolve(import.meta.dirname, '../../..');
  const folder = freshFolder();
  const compilerOptions = { noEmit: false, noCheck: true, outDir: folder, rootDir: sources, typeRoots: [join(sources, 'node_modules/@types')] };
  const config = { extends: join(sources, 'tsconfig.json'), compilerOptions, files: [join(sources, 'activities/process/launch.ts')], include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(sources, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, [join(sources, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  copyFileSync(join(sources, 'activities/process/supervisor.sh'), join(folder, 'activities/process/supervisor.sh'));
  return `file://${encodeURI(join(folder, 'activities/process/launch.js'))}`;
}
