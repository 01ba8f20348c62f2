// Owns this machine's id: random, made once, kept in PDLC_HOME. It names the queue of work that only this host can do.
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The host id of a PDLC_HOME (16 hex digits), made when there is none; any number of processes may ask at once and get the same. */
export function hostIdOf(home: string): string {
  const file = join(home, 'host-id');
  const known = read(file);
  if (known) return known;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const mine = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(mine, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(mine, file); // fails when another process was first, whose id then counts
  } catch (error) {
    if (!read(file)) throw error;
  } finally {
    rmSync(mine, { force: true });
  }
  return read(file) ?? '';
}

function read(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^[0-9a-f]{16}$/.test(text) ? text : null;
  } catch {
    return null;
  }
}
