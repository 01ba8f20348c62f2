// Owns what every command gets from its process: environment, folder, streams, and where $PDLC_HOME is. Nothing else reads them.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { createGit, type Git } from '../activities/git/git.js';
import { buildFile } from './places.js';

/** The process as a command sees it; `home` is $PDLC_HOME, `build` names this build of the code. */
export type Context = {
  env: Record<string, string | undefined>;
  cwd: string;
  home: string;
  git: Git;
  out: (text: string) => void;
  err: (text: string) => void;
  isTerminal: boolean;
  useColor: boolean;
  build: () => string;
  version: () => string;
};

/** Runs what a command does and keeps its exit code. */
export type Action = (use: () => Promise<number>) => Promise<void>;

/** Builds the context of a real process. */
export function createContext({
  env,
  cwd,
  stdout,
  stderr,
}: {
  env: Context['env'];
  cwd: string;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}): Context {
  const isTerminal = stderr.isTTY === true && env.TERM !== 'dumb';
  return {
    env,
    cwd,
    home: homeOf(env, cwd),
    git: createGit({ path: env.PATH ?? '' }),
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    isTerminal,
    useColor: isTerminal && !env.NO_COLOR,
    build: () => readBuild().build,
    version: () => readBuild().version,
  };
}

function homeOf(env: Context['env'], cwd: string): string {
  if (env.PDLC_HOME) return resolve(cwd, env.PDLC_HOME);
  const state = env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME) ? env.XDG_STATE_HOME : join(env.HOME || homedir(), '.local', 'state');
  return join(state, 'pdlc');
}

function readBuild(): { build: string; version: string } {
  return JSON.parse(readFileSync(buildFile, 'utf8')) as { build: string; version: string }; // written by our own build
}
