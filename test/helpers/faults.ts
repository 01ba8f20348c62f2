// Owns disks that fail in tests: the writing half of node:fs/promises, whose calls are counted and of which one can be made to fail, and what would survive a power cut.
// A test file puts it in place with vi.mock; nothing of the product knows of it. Must never fail a call that only reads.
import type * as promises from 'node:fs/promises';
import type { Git } from '../../activities/git/git.js';
import { PdlcError } from '../../machines/contract/failure.js';

type Fs = typeof promises;
type Handle = promises.FileHandle;

/** One fault: the call with this number fails with `code`; `late`: only after it was done, or in the middle of what it writes. */
export type Fault = { at: number; code: string; late: boolean };

/** How an operation ended with a fault: `struck` is the call that failed, null when there was none with that number. */
export type Struck<T> = { struck: string | null; value?: T; error?: unknown };

let armed: (Fault & { seen: number; struck: string | null }) | null = null;
const dirty = new Set<string>();
const synced = new Map<string, Buffer>();
const folders = new Set<string>();
let place: Fs;

/** Runs an operation with one fault. */
export async function withFault<T>(fault: Fault, operation: () => Promise<T>): Promise<Struck<T>> {
  const mine = { ...fault, seen: 0, struck: null as string | null };
  armed = mine;
  try {
    return { value: await operation(), struck: mine.struck };
  } catch (error) {
    return { error, struck: mine.struck };
  } finally {
    armed = null;
  }
}

/** What of a file would be there after a power cut: its bytes at its last sync that told the truth; a sync after a failed one says well for nothing. */
export const survivingBytes = (file: string): Buffer => synced.get(file) ?? Buffer.alloc(0);

/** Whether a folder was synced, so that the names in it would be there after a power cut. */
export const isFolderSynced = (folder: string): boolean => folders.has(folder);

/** A git that counts as one call each and fails as git does. */
export const faultyGit =
  (git: Git): Git =>
  (args, options) =>
    step(`git ${args[0]}`, () => git(args, options), { failed: (code) => new PdlcError('git_failed', `git ${args[0]}: ${code}`) });

/** The module in place of node:fs/promises: it does what the real one does, until a fault is armed. */
export function faultyFs(real: Fs): Fs & { default: Fs } {
  place = real;
  const counted = (name: 'mkdir' | 'rename' | 'link' | 'rm' | 'copyFile' | 'utimes' | 'chmod' | 'cp') => {
    const call = real[name] as (...args: unknown[]) => Promise<unknown>;
    const done = async (...args: unknown[]): Promise<unknown> => {
      const result = await call(...args);
      if (name === 'rename' || name === 'link') follow(String(args[0]), String(args[1]));
      return result;
    };
    return { [name]: (...args: unknown[]) => step(name, () => done(...args), {}) };
  };
  const names = ['mkdir', 'rename', 'link', 'rm', 'copyFile', 'utimes', 'chmod', 'cp'] as const;
  const open = async (...args: Parameters<Fs['open']>): Promise<Handle> => {
    if ((args[1] ?? 'r') === 'r') return openSynced(await real.open(...args), String(args[0]));
    return openSynced(await step('open', () => real.open(...args), { torn: async () => (await real.open(...args)).close() }), String(args[0]));
  };
  const writeFile = async (file: string, data: string | Uint8Array, options: { flag?: string; mode?: number; flush?: boolean } = {}): Promise<void> => {
    const handle = await open(file, options.flag ?? 'w', options.mode);
    try {
      await handle.writeFile(data);
      if (options.flush) await handle.sync();
    } finally {
      await handle.close();
    }
  };
  const changed = { ...real, ...Object.assign({}, ...names.map(counted)), open, writeFile } as Fs; // the same functions, each with its own signature
  return { ...changed, default: changed };
}

/** What is known of a file's bytes goes with them to another name. */
function follow(from: string, to: string): void {
  const bytes = synced.get(from);
  if (bytes) synced.set(to, bytes);
  else synced.delete(to);
}

/** A handle whose writes and syncs are counted, and whose syncs are believed only when nothing that they should have written was given up before. */
function openSynced(handle: Handle, file: string): Handle {
  const half = (data: unknown): Uint8Array => Buffer.from(data as string).subarray(0, Buffer.from(data as string).length >> 1);
  const sync = async (name: 'sync' | 'datasync'): Promise<void> => {
    await step(name, () => handle[name](), { never: () => dirty.delete(file) });
    if (dirty.delete(file)) synced.set(file, await place.readFile(file));
    else folders.add(file);
  };
  const changes: Record<string, unknown> = {
    writeFile: (data: string) =>
      written(
        'write',
        () => handle.writeFile(data),
        () => handle.writeFile(half(data)),
      ),
    write: (...[data, at, length, position]: [Buffer, number, number, number]) =>
      written(
        'write',
        () => handle.write(data, at, length, position),
        () => handle.write(data, at, length >> 1, position),
      ),
    // To the length that it has, nothing is written.
    truncate: async (length: number) => {
      if ((await handle.stat()).size !== length) dirty.add(file);
      return step('truncate', () => handle.truncate(length), {});
    },
    sync: () => sync('sync'),
    datasync: () => sync('datasync'),
  };
  const written = async (name: string, whole: () => Promise<unknown>, torn?: () => Promise<unknown>): Promise<unknown> => {
    dirty.add(file);
    return step(name, whole, torn ? { torn } : {});
  };
  return new Proxy(handle, {
    get: (target, name) => {
      const value: unknown = changes[String(name)] ?? Reflect.get(target, name);
      return typeof value === 'function' && !(String(name) in changes) ? value.bind(target) : value;
    },
  });
}

type Failing = { torn?: () => Promise<unknown>; never?: () => void; failed?: (code: string) => Error };

/** One counted call. `torn` is what a late fault leaves done (else all of it), `never` what a fault undoes for good. */
async function step<T>(name: string, call: () => Promise<T>, { torn, never, failed }: Failing): Promise<T> {
  if (armed === null) return call();
  armed.seen += 1;
  if (armed.seen !== armed.at) return call();
  const { code, late } = armed;
  armed.struck = name;
  if (never) never();
  else if (late) await (torn ?? call)();
  throw failed?.(code) ?? Object.assign(new Error(`${code}: injected, ${name}`), { code });
}
