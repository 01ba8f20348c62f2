// Checks what a caller hears while the local stack is still being started.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureStack, type Stack } from '../../../worker/stack/index.js';
import { freshFolder, removeHome, requestFor, serverBinaryForTests } from './support.js';

const binary = (await serverBinaryForTests()) ?? '';
let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => removeHome(home));

describe.skipIf(!binary)('a stack that starts (skipped when no source gives a Temporal server binary)', { timeout: 60_000 }, () => {
  test('its server is told of as soon as it can be used, even when its worker never polls', async () => {
    const told: Stack[] = [];
    const starting = ensureStack({ ...requestFor(home, binary, { FAKE_TROUBLE: 'dies' }), onServer: (stack) => told.push(stack) });
    await expect(starting).rejects.toMatchObject({ kind: 'worker_failed' });
    expect(told).toEqual([await ensureStack(requestFor(home, binary))]);
  });

  test('one that is up already is only returned', async () => {
    const first = await ensureStack(requestFor(home, binary));
    const told: Stack[] = [];
    expect(await ensureStack({ ...requestFor(home, binary), onServer: (stack) => told.push(stack) })).toEqual(first);
    expect(told).toEqual([]);
  });
});
