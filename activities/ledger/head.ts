// Owns the head of a ledger: the last number and digest that were synced, in a file beside it, so that a ledger that lost whole lines does not pass for a sound one.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { hasCode } from '../host/files.js';

const headSchema = z.strictObject({ seq: z.int().min(1), digest: z.string() });

/** The last entry of a ledger as of its last sync: its number and its digest. */
export type Head = z.infer<typeof headSchema>;

/** Where the head of a ledger file lies. */
export const headFileOf = (ledger: string): string => `${ledger}.head`;

/** The head of a ledger: null when there is none (ledgers of older builds), `damaged` when the file is not, byte for byte, what was written. Never throws. */
export async function readHead(ledger: string): Promise<Head | 'damaged' | null> {
  try {
    const text = await readFile(headFileOf(ledger), 'utf8');
    const head = headSchema.parse(JSON.parse(text));
    return text === render(head) ? head : 'damaged';
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? null : 'damaged';
  }
}

/** Writes the head in one step. Must come after the ledger is synced: a head that is behind is harmless, one that is ahead means lost entries. */
export async function writeHead(ledger: string, head: Head): Promise<void> {
  const aside = `${headFileOf(ledger)}.${randomUUID()}`;
  try {
    await writeFile(aside, render(head), { mode: 0o600, flush: true });
    await rename(aside, headFileOf(ledger));
  } finally {
    await rm(aside, { force: true });
  }
}

const render = ({ seq, digest }: Head): string => `${JSON.stringify({ seq, digest })}\n`;
