// The two marks by which every process of an attempt is known: a variable in its environment, and a resource limit that the kernel hands on to every child.
// Must never be a limit that binds anybody: Linux keeps the one on file locks for old programs and has not enforced it since 2.4.25.
import { createHash } from 'node:crypto';
import { readEnviron, readLockLimit } from './proc.js';

/** The variable that marks a process in its environment. A program can hide or clear it. */
export const marker = 'PDLC_MARK';

/** How many hexadecimal digits of a hash are the number: 60 bits, which every shell can set. */
const limitDigits = 15;

/** The soft limit on file locks that marks a process: it survives a new session, a cleared environment, closed files and another name. */
export function lockLimitOf(token: string): string {
  const hash = createHash('sha256').update(token).digest('hex');
  return BigInt(`0x${hash.slice(0, limitDigits)}`).toString();
}

/** Whether a live process carries one of the marks of this attempt. */
export async function isMarked(pid: number, token: string): Promise<boolean> {
  return readLockLimit(pid) === lockLimitOf(token) || (await readEnviron(pid)).includes(`${marker}=${token}`);
}
