// Runs one short program to its end and collects what it says. For git and its like; long commands go through launch and watch.
// Must never inherit a variable of the caller, wait for a terminal, or let a call that did not end look like an empty answer.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

const complaintBytesMax = 4_096;
/** How long an ended program's output is waited for when something that it started still holds it open, in ms. */
const drainMs = 1_000;

/** One program: `env` is its whole environment, `input` its stdin; it is killed after `timeoutMs` or `outputBytesMax` bytes of stdout. */
export type CollectRequest = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: string | Uint8Array;
  timeoutMs: number;
  outputBytesMax: number;
};

/** How it ended. `code` is null when a signal ended it; `stopped` says which limit did; `stdout` holds at most `outputBytesMax` bytes. */
export type Collected =
  | { kind: 'ended'; code: number | null; signal: string | null; stopped: 'timeout' | 'flood' | null; stdout: Uint8Array; complaint: string }
  | { kind: 'not_started'; message: string };

/** A way to run programs: in this process, or in a smaller one beside it. */
export type Collect = (request: CollectRequest) => Promise<Collected>;

/** Runs it from this process. Never rejects. */
export const collect: Collect = (request) =>
  new Promise((resolve) => {
    const { file, args, cwd, env } = request;
    const child = spawn(file, [...args], { cwd, env: { ...env }, stdio: 'pipe' });
    gather({ child, request, resolve });
  });

type Gathering = { child: ChildProcessWithoutNullStreams; request: CollectRequest; resolve: (collected: Collected) => void };

function gather({ child, request, resolve }: Gathering): void {
  const { input, timeoutMs, outputBytesMax } = request;
  const output: Buffer[] = [];
  let outputBytes = 0;
  let complaint = '';
  let stopped: 'timeout' | 'flood' | null = null;
  const stop = (reason: 'timeout' | 'flood') => {
    stopped ??= reason;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  child.stdout.on('data', (chunk: Buffer) => {
    if (outputBytes < outputBytesMax) output.push(chunk.subarray(0, outputBytesMax - outputBytes));
    outputBytes += chunk.length;
    if (outputBytes > outputBytesMax) stop('flood');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(0, complaintBytesMax);
  });
  // A program may end before it has read all input; its exit code tells, not the broken pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  child.on('error', ({ message }) => {
    clearTimeout(timer);
    resolve({ kind: 'not_started', message });
  });
  const end = (code: number | null, signal: string | null): void => {
    clearTimeout(timer);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    resolve({ kind: 'ended', code, signal, stopped, stdout: Buffer.concat(output), complaint });
  };
  child.on('exit', (code, signal) => setTimeout(end, stopped ? 0 : drainMs, code, signal).unref());
  child.on('close', end);
}
