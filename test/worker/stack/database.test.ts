// Guarantees of the server's database: a half-made one is begun anew, and nothing that a run may be in is ever removed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { beginDatabase } from '../../../worker/stack/database.js';
import { ensureStack } from '../../../worker/stack/index.js';
import { stackPaths } from '../../../worker/stack/paths.js';
import { readRecord } from '../../../worker/stack/record.js';
import { freshFolder, killProcesses, pidsOf, removeHome, requestFor, serverBinaryForTests, startRun, statusOf } from './support.js';

const binary = (await serverBinaryForTests()) ?? '';
let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => removeHome(home));

describe.skipIf(!binary)('the database (skipped when no source gives a Temporal server binary)', { timeout: 60_000 }, () => {
  test('a database that its first server left half-made is begun anew, and one that was used never is', async () => {
    const { folder } = stackPaths(home);
    mkdirSync(folder, { recursive: true });
    const version = /\d+\.\d+\.\d+/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[0];
    const database = join(folder, `temporal-${version}.db`);
    beginDatabase(database);
    writeFileSync(database, '');
    const stack = await ensureStack(requestFor(home, binary));
    await startRun(stack, 'kept');
    beginDatabase(database);
    await killProcesses(home);
    await ensureStack(requestFor(home, binary));
    expect(await statusOf(stack, 'kept')).toBe('RUNNING');
  });

  test('a database that no server can read is left as it is, and the error says why and how to put it aside', async () => {
    await ensureStack(requestFor(home, binary));
    const { database } = readRecord(stackPaths(home))?.server ?? { database: '' };
    await killProcesses(home);
    for (const part of ['-wal', '-shm']) rmSync(`${database}${part}`, { force: true });
    writeFileSync(database, 'no database at all'.repeat(500));
    await expect(ensureStack(requestFor(home, binary))).rejects.toMatchObject({
      kind: 'server_failed',
      message: expect.stringMatching(/it ended before port \d+ opened[\s\S]*file is not a database[\s\S]*put it aside/),
    });
    expect(readFileSync(database, 'utf8')).toContain('no database at all');
    expect([...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]).toEqual([]);
  });
});
