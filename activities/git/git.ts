// The one way in which pdlc runs git: an environment built from nothing, no configuration but its own, no hook, filter or network.
// Must never inherit a variable of the caller, wait for a terminal, or let a failed call look like an empty answer.
import { PdlcError } from '../../machines/contract/failure.js';
import { type Collect, type Collected, collect } from '../process/collect.js';

/** Longest time one git call may take, in ms, unless its caller says otherwise. */
const gitTimeoutMs = 600_000;
/** Most bytes one git call may print, unless its caller says otherwise. */
const gitOutputBytesMax = 268_435_456;

/** Who every commit of the engine is by. */
export const identity = { name: 'pdlc', email: 'pdlc@localhost' };

/** Where and how one call runs. `okCodes` are exit codes that are answers (default only 0); `cut` ends git at `outputBytesMax` and keeps what came. */
export type GitOptions = {
  gitDir?: string;
  workTree?: string;
  indexFile?: string;
  cwd?: string;
  /** Extra object folders that this call may read. */
  alsoRead?: string;
  input?: string | Uint8Array;
  env?: Record<string, string>;
  timeoutMs?: number;
  okCodes?: readonly number[];
  outputBytesMax?: number;
  cut?: boolean;
};

/** The answer of one call: `stdout` is `bytes` read as UTF-8, `cut` says that there was more, `complaint` is the bounded text of stderr. */
export type GitResult = { code: number; stdout: string; bytes: Buffer; cut: boolean; complaint: string };

/** Runs git with these arguments; throws `git_failed` for a code outside `okCodes`, a signal, a timeout or too much output. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitResult>;

/** A runner that finds git on the given PATH; `run` is how programs are started. */
export function createGit({ path, run = collect }: { path: string; run?: Collect }): Git {
  return async (args, options = {}) => {
    const { timeoutMs = gitTimeoutMs, outputBytesMax = gitOutputBytesMax, input = '' } = options;
    const cwd = options.cwd ?? options.workTree ?? '/';
    const collected = await run({ file: 'git', args: [...fixedArgs, ...args], cwd, env: environment(path, options), input, timeoutMs, outputBytesMax });
    return answerOf(collected, args, options);
  };
}

/** One entry of an alternates list or file, quoted so that any path is taken as it is. */
export const quoteAlternate = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;

const fixedArgs = Object.entries({
  'core.hooksPath': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.sparseCheckout': 'false',
  'core.commitGraph': 'false',
  'core.multiPackIndex': 'false',
  'core.autocrlf': 'false',
  'core.safecrlf': 'false',
  'core.fileMode': 'true',
  'core.symlinks': 'true',
  'core.ignoreCase': 'false',
  'core.precomposeUnicode': 'false',
  'core.quotePath': 'false',
  'core.pager': 'cat',
  'color.ui': 'false',
  // Checkouts wait for the disk more than for the processor.
  'checkout.workers': '4',
  'commit.gpgSign': 'false',
  'i18n.commitEncoding': 'UTF-8',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'pack.writeBitmaps': 'false',
  'protocol.allow': 'never',
  // Ownership is no reason to refuse: the person named this repository, and nothing that its configuration could start is left on.
  'safe.directory': '*',
}).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

function environment(path: string, options: GitOptions): Record<string, string> {
  return {
    PATH: path,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    ...(options.gitDir === undefined ? {} : { GIT_DIR: options.gitDir }),
    ...(options.workTree === undefined ? {} : { GIT_WORK_TREE: options.workTree }),
    ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    ...(options.alsoRead === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoteAlternate(options.alsoRead) }),
    ...options.env,
  };
}

function answerOf(collected: Collected, args: readonly string[], options: GitOptions): GitResult {
  const { okCodes = [0], timeoutMs = gitTimeoutMs, outputBytesMax = gitOutputBytesMax } = options;
  const fail = (found: string): PdlcError =>
    new PdlcError('git_failed', `git ${args.join(' ').slice(0, 300)}: expected exit code ${okCodes.join(' or ')}, found ${found}`);
  if (collected.kind === 'not_started') throw fail(`no git process (${collected.message}); is git installed and on PATH?`);
  const { code, signal, stopped, complaint } = collected;
  const bytes = Buffer.from(collected.stdout);
  const cut = stopped === 'flood';
  if (cut && options.cut === true) return { code: 0, stdout: bytes.toString(), bytes, cut, complaint };
  if (stopped === 'timeout') throw fail(`no end after ${timeoutMs} ms`);
  if (cut) throw fail(`more than ${outputBytesMax} bytes of output`);
  if (code === null) throw fail(`signal ${signal}`);
  if (!okCodes.includes(code)) throw fail(`${code}: ${complaint.trim()}`);
  return { code, stdout: bytes.toString(), bytes, cut, complaint };
}
