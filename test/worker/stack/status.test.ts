// Checks that stackStatus reports what is there and starts nothing.
// Never trusts stack.json alone.
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureStack } from '../../../worker/stack/ensure.js';
import { stackStatus } from '../../../worker/stack/status.js';
import { freshFolder, pidsOf, removeHome, requestFor, serverBinaryForTests } from './support.js';

const binary = (await serverBinaryForTests()) ?? '';
let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => removeHome(home));

test('an untouched PDLC_HOME is stopped, and stays untouched', async () => {
  expect(await stackStatus(home)).toMatchObject({ server: { state: 'stopped' }, worker: { state: 'stopped' } });
  expect(readdirSync(home)).toEqual([]);
});

describe.skipIf(!binary)('stackStatus (skipped when no source gives a Temporal server binary)', { timeout: 60_000 }, () => {
  test('a running stack is named with pids, address, UI, version and build', async () => {
    const stack = await ensureStack(requestFor(home, binary));
    const [server] = pidsOf(home, 'start-dev');
    const [worker] = pidsOf(home, 'fake-worker.mjs');
    expect(await stackStatus(home)).toMatchObject({
      namespace: stack.namespace,
      server: { state: 'running', pid: server, address: stack.address, uiUrl: stack.uiUrl, binary },
      worker: { state: 'running', pid: worker, build: 'build-1' },
    });
  });

  test('a killed server is stopped, whatever stack.json says', async () => {
    await ensureStack(requestFor(home, binary));
    process.kill(pidsOf(home, 'start-dev')[0] ?? 0, 'SIGKILL');
    await expect.poll(async () => (await stackStatus(home)).server.state).toBe('stopped');
  });
});
