// Owns the proof that the cached server binary is the one that was fetched: its SHA-256 in a file beside it.
// Never trusts a binary without that file: it may be half of a download.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { StackPaths } from './paths.js';

const digestSchema = z.object({ sha256: z.string().length(64), bytes: z.int(), mtimeMs: z.number() });

/** What is recorded of a binary: SHA-256 as 64 hex digits, size, and time of the last change. */
export type BinaryDigest = z.infer<typeof digestSchema>;

/** The state of the cached binary; `why` is one line for people. */
export type CacheCheck = { kind: 'intact'; sha256: string } | { kind: 'unusable'; why: string };

/** Looks at size and time only while these are as recorded, and reads the whole file when they are not. */
export async function checkCachedBinary(paths: StackPaths): Promise<CacheCheck> {
  const file = await stat(paths.cachedBinary).catch(() => null);
  if (!file) return { kind: 'unusable', why: `${paths.cachedBinary}: not there` };
  const recorded = await readDigest(paths);
  if (!recorded) return { kind: 'unusable', why: `${paths.cachedBinary}: no record of its SHA-256` };
  const { sha256 } = recorded;
  if (file.size === recorded.bytes && file.mtimeMs === recorded.mtimeMs) return { kind: 'intact', sha256 };
  const found = await digestOf(paths.cachedBinary);
  if (found.sha256 !== sha256) {
    return { kind: 'unusable', why: `${paths.cachedBinary}: expected SHA-256 ${sha256}, found ${found.sha256}` };
  }
  await writeDigest(paths, found);
  return { kind: 'intact', sha256 };
}

/** Records the digest of the binary that was put in place. */
export async function writeDigest(paths: StackPaths, digest: BinaryDigest): Promise<void> {
  const temporary = `${paths.cachedDigest}.${randomUUID()}`;
  await writeFile(temporary, `${JSON.stringify(digest)}\n`);
  await rename(temporary, paths.cachedDigest);
}

/** The digest of a file; a rename keeps it good. */
export async function digestOf(path: string): Promise<BinaryDigest> {
  const { size, mtimeMs } = await stat(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { sha256: hash.digest('hex'), bytes: size, mtimeMs };
}

async function readDigest(paths: StackPaths): Promise<BinaryDigest | null> {
  try {
    return digestSchema.parse(JSON.parse(await readFile(paths.cachedDigest, 'utf8')));
  } catch {
    return null;
  }
}
