// Checks that stopStack leaves nothing running and nothing forgotten.
// Never stops anything it did not start.
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stopStack } from '../../../worker/stack/down.js';
import { ensureStack } from '../../../worker/stack/ensure.js';
import { stackPaths } from '../../../worker/stack/paths.js';
import { stackStatus } from '../../../worker/stack/status.js';
import { freshFolder, pidsOf, removeHome, requestFor, serverBinaryForTests } from './support.js';

const binary = (await serverBinaryForTests()) ?? '';
const graceMs = 10_000;
let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => removeHome(home));

test('with nothing running it stops nothing', async () => {
  expect(await stopStack({ home, graceMs })).toEqual({ worker: 'not_running', server: 'not_running' });
});

describe.skipIf(!binary)('stopStack (skipped when no source gives a Temporal server binary)', { timeout: 60_000 }, () => {
  test('it leaves no process, and the next start is at the same address', async () => {
    const stack = await ensureStack(requestFor(home, binary));
    expect(await stopStack({ home, graceMs })).toEqual({ worker: 'stopped', server: 'stopped' });
    expect([...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]).toEqual([]);
    expect(await stackStatus(home)).toMatchObject({ server: { state: 'stopped' }, worker: { state: 'stopped' } });
    expect(await ensureStack(requestFor(home, binary))).toEqual(stack);
  });

  test('it stops a server and a worker that stack.json has lost', async () => {
    await ensureStack(requestFor(home, binary));
    rmSync(stackPaths(home).record);
    expect(await stopStack({ home, graceMs })).toEqual({ worker: 'stopped', server: 'stopped' });
    expect([...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]).toEqual([]);
  });

  test('a worker that ignores TERM is killed after the grace time', async () => {
    await ensureStack(requestFor(home, binary, { FAKE_TROUBLE: 'stubborn' }));
    expect(await stopStack({ home, graceMs: 300 })).toMatchObject({ worker: 'killed' });
    expect(pidsOf(home, 'fake-worker.mjs')).toEqual([]);
  });

  test('it may be called by several at once, and while the stack is being started', async () => {
    const starting = ensureStack(requestFor(home, binary));
    await Promise.all([starting, stopStack({ home, graceMs }), stopStack({ home, graceMs })]);
    await stopStack({ home, graceMs });
    expect([...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]).toEqual([]);
  });
});
