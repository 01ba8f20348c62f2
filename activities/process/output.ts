// Bounded reading of what a process printed.
// Must never hold more than it was asked for, nor hand on a byte that a terminal would obey.

import { open, stat } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { hasCode } from '../host/files.js';

const lineWindowBytes = 32_768;
const lineCharactersMax = 200;

/** The last bytesMax bytes of a file as clean text: characters cut at either end are left out, invalid bytes replaced,
 *  escape sequences and control codes removed except newline and tab. A missing file reads as empty. */
export async function tail(file: string, bytesMax: number): Promise<string> {
  const { bytes, isWhole } = await readEnd(file, bytesMax);
  return clean(isWhole ? bytes : bytes.subarray(leadingFragment(bytes)));
}

/** The last complete line of a file that is not blank, cleaned, at most 200 characters; null if none lies near the end. */
export async function lastLine(file: string): Promise<string | null> {
  const { bytes, isWhole } = await readEnd(file, lineWindowBytes);
  const lines = clean(bytes.subarray(0, bytes.lastIndexOf('\n') + 1)).split('\n');
  // The first line of a window that starts inside the file has lost its beginning.
  const line = (isWhole ? lines : lines.slice(1)).findLast((candidate) => candidate.trim() !== '');
  return line === undefined ? null : Array.from(line.trim()).slice(0, lineCharactersMax).join('');
}

/** The size of a file in bytes, 0 when it is missing. */
export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

async function readEnd(file: string, bytesMax: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  if ((await sizeOf(file)) === 0) return { bytes: Buffer.alloc(0), isWhole: true };
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, bytesMax);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return { bytes: buffer.subarray(0, bytesRead), isWhole: length === size };
  } finally {
    await handle.close();
  }
}

/** How many bytes at the start can only continue a character that began before them. */
function leadingFragment(bytes: Buffer): number {
  const start = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? Math.min(bytes.length, 3) : start;
}

function clean(bytes: Uint8Array): string {
  // In streaming mode the decoder keeps back an unfinished character at the end.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
}
