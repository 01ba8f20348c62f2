// Starts one program in a session of its own that outlives whoever started it. Nobody waits for it and nothing is collected: what it writes itself is the only evidence of it.
import { spawn } from 'node:child_process';

/** One program to start: `env` is its whole environment. */
export type DetachRequest = { file: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> };

/** A way to start such programs: from this process, or from a smaller one beside it. */
export type Detach = (request: DetachRequest) => void;

/** Starts it from this process. A program that cannot be started writes nothing, and that is how it is noticed. */
export const detach: Detach = ({ file, args, cwd, env }) => {
  const child = spawn(file, [...args], { cwd, env: { ...env }, detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
};
