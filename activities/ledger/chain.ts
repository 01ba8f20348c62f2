// Owns the line format of a ledger: one entry as JSON with sorted keys, then `prev` and `digest`, so that every line vouches for all lines before it. Pure.
import { createHash } from 'node:crypto';

/** What the first line names as `prev` (hex sha256): it ties a ledger to its run. */
export const genesisOf = (runKey: string): string => sha256(runKey);

/** The line of an entry (no line break) that follows a line with digest `prev`, and its own digest (hex sha256). The same entry always gives the same bytes. */
export function encodeEntry(entry: object, prev: string): { line: string; digest: string } {
  const body = JSON.stringify(entry, withSortedKeys);
  const digest = sha256(prev + body);
  return { line: `${body.slice(0, -1)},"prev":"${prev}","digest":"${digest}"}`, digest };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
