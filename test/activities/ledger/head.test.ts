// Guarantees of a ledger's head: it is what was written, byte for byte, or said to be damaged, and never in anyone's way while it is written.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { headFileOf, readHead, writeHead } from '../../../activities/ledger/head.js';
import { tempDir } from '../../helpers/temp.js';

const head = { seq: 12, digest: 'd'.repeat(64) };
const fresh = (): string => join(tempDir('head ü'), 'ledger.jsonl');

test('what is written is read, from a file of the owner only, and nothing else is left', async () => {
  const ledger = fresh();
  await writeHead(ledger, { ...head, seq: 1 });
  await writeHead(ledger, head);
  expect([await readHead(ledger), statSync(headFileOf(ledger)).mode & 0o777]).toEqual([head, 0o600]);
  expect(readdirSync(dirname(ledger))).toEqual(['ledger.jsonl.head']);
});

test('a head that is cut or has any bit flipped is damaged or names something else; a missing one is null', async () => {
  const ledger = fresh();
  expect(await readHead(ledger)).toBeNull();
  await writeHead(ledger, head);
  const bytes = readFileSync(headFileOf(ledger));
  for (let place = 0; place < bytes.length; place += 1) {
    writeFileSync(headFileOf(ledger), bytes.subarray(0, place));
    expect(await readHead(ledger)).toBe('damaged');
    const flipped = Buffer.from(bytes);
    flipped[place] = (flipped[place] ?? 0) ^ 1;
    writeFileSync(headFileOf(ledger), flipped);
    expect(await readHead(ledger)).not.toEqual(head);
  }
});
