// Owns the way from the bytes of a state file to a reading: bounds and encoding, before the text is parsed. Never throws.
import { parseState, type StateReading, stateFileBytesMax } from '../../machines/contract/state-file.js';

/** Reads a state file's bytes (null: there is no file); `path` is how messages call it. Anything but sound UTF-8 JSON in the format is not ok. */
export function readStateBytes(bytes: Buffer | null, path: string): StateReading {
  if (bytes === null) return { ok: false, expected: `a state file at ${path}`, found: 'none' };
  const text = bytes.length > stateFileBytesMax ? { problem: `${bytes.length} bytes, more than the ${stateFileBytesMax} that are read` } : decode(bytes);
  if (typeof text !== 'string') return { ok: false, expected: 'a JSON object in the state file format', found: `${text.problem} in ${path}` };
  const reading = parseState(text);
  return reading.ok ? reading : { ...reading, found: `${reading.found} in ${path}` };
}

function decode(bytes: Buffer): string | { problem: string } {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return { problem: 'UTF-16 text' };
  try {
    // A byte-order mark is kept, so that parsing can name it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { problem: 'bytes that are not UTF-8' };
  }
}
