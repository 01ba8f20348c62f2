// Owns short-lived helper programs: `temporal --version`, `tar`, `python3`.
// Never runs one without a time limit, and never throws for a program that fails.
import { execFile } from 'node:child_process';

const versionMsMax = 10_000;
const outputBytesMax = 1_000_000;
const reasonCharsMax = 300;
const foundCharsMax = 80;

/** A helper's output, or why there is none, in one line for people. */
export type RunResult = { kind: 'ok'; stdout: string } | { kind: 'failed'; why: string };

/** Runs a program to its end with the given environment; a program that is absent, fails or outlasts `limitMs` is a value. */
export function run(argv: readonly [string, ...string[]], options: { env: NodeJS.ProcessEnv; limitMs: number }): Promise<RunResult> {
  const [command, ...args] = argv;
  return new Promise((resolve) => {
    execFile(command, args, { env: options.env, timeout: options.limitMs, killSignal: 'SIGKILL', maxBuffer: outputBytesMax }, (error, stdout, stderr) => {
      if (!error) resolve({ kind: 'ok', stdout });
      else if (error.code === 'ENOENT') resolve({ kind: 'failed', why: `${command}: not found` });
      else if (error.killed) resolve({ kind: 'failed', why: `${command}: no end within ${options.limitMs} ms` });
      else resolve({ kind: 'failed', why: lastLine(stderr) ?? lastLine(error.message) ?? `${command}: failed` });
    });
  });
}

/** The version a binary reports of itself, or why it is not a Temporal CLI. */
export async function readVersion(path: string, env: NodeJS.ProcessEnv): Promise<{ kind: 'ok'; version: string } | { kind: 'failed'; why: string }> {
  const answer = await run([path, '--version'], { env: { PATH: env.PATH }, limitMs: versionMsMax });
  if (answer.kind === 'failed') return answer;
  const version = /^temporal version (\d+\.\d+\.\d+\S*)/.exec(answer.stdout)?.[1];
  if (version) return { kind: 'ok', version };
  const found = answer.stdout.trim().slice(0, foundCharsMax);
  return { kind: 'failed', why: `${path} --version: expected "temporal version …", found "${found}"` };
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.slice(0, reasonCharsMax) || undefined;
}
