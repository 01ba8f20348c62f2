// Owns the search for a Temporal server binary: the user's own, then the cached one, then one fetched once.
// Never runs a cached binary whose bytes are not those that were fetched, and never replaces the user's own.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { checkCachedBinary } from './cached-binary.js';
import { type BinarySource, type FetchRequest, fetchBinary, type TriedSource } from './fetch-binary.js';
import { pinnedVersion, stackPaths } from './paths.js';
import { readVersion } from './run.js';

/** A usable server binary; `sha256` is null for one of the user's own, which is theirs to change. */
export interface FoundBinary {
  kind: 'found';
  path: string;
  version: string;
  source: BinarySource;
  sha256: string | null;
}

/** A binary, or every source that was tried and why it failed. */
export type BinarySearch = FoundBinary | { kind: 'not_found'; tried: TriedSource[] };

/** What a search needs: PDLC_HOME, and what a fetch needs. */
export interface BinaryRequest extends FetchRequest {
  home: string;
}

/** Finds or fetches the server binary; a set PDLC_TEMPORAL_BIN is obeyed or refused, never passed over. */
export async function findServerBinary(request: BinaryRequest): Promise<BinarySearch> {
  const { env } = request;
  if (env.PDLC_TEMPORAL_BIN) {
    const named = await ownBinary('PDLC_TEMPORAL_BIN', env.PDLC_TEMPORAL_BIN, env);
    return named.kind === 'found' ? named : { kind: 'not_found', tried: [named.tried] };
  }
  const tried: TriedSource[] = [];
  const onPath = findOnPath('temporal', env.PATH ?? '');
  const own = onPath ? await ownBinary('PATH', onPath, env) : null;
  if (own?.kind === 'found') return own;
  tried.push(own?.tried ?? { source: 'PATH', why: 'no temporal on PATH' });

  const paths = stackPaths(request.home);
  const cached = await checkCachedBinary(paths);
  if (cached.kind === 'intact') return pinned('cache', paths.cachedBinary, cached.sha256);
  tried.push({ source: 'cache', why: cached.why });

  const fetched = await fetchBinary(paths, request);
  if (fetched.kind === 'fetched') return pinned(fetched.source, paths.cachedBinary, fetched.sha256);
  return { kind: 'not_found', tried: [...tried, ...fetched.tried] };
}

/** The message for people when no source gave a binary: every source with its reason, and the command that helps. */
export function explainNotFound(tried: TriedSource[]): string {
  return [
    `No Temporal server binary: expected the Temporal CLI ${pinnedVersion} from one of these sources, found none.`,
    ...tried.map(({ source, why }) => `  ${source}: ${why}`),
    'Put the Temporal CLI on this machine and run: PDLC_TEMPORAL_BIN=/path/to/temporal pdlc up',
  ].join('\n');
}

async function ownBinary(source: BinarySource, path: string, env: NodeJS.ProcessEnv): Promise<FoundBinary | { kind: 'unusable'; tried: TriedSource }> {
  if (!isAbsolute(path)) return { kind: 'unusable', tried: { source, why: `${path}: expected an absolute path` } };
  const version = await readVersion(path, env);
  return version.kind === 'ok'
    ? { kind: 'found', path, version: version.version, source, sha256: null }
    : { kind: 'unusable', tried: { source, why: version.why } };
}

function pinned(source: BinarySource, path: string, sha256: string): FoundBinary {
  return { kind: 'found', path, version: pinnedVersion, source, sha256 };
}

function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutableFile);
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
