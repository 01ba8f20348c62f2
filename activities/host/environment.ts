// Owns which environment variables reach whom. Every environment is built from empty; keys reach an agent only when the configuration names them, and never a check.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AgentCommand } from '../../machines/contract/config.js';
import { PdlcError } from '../../machines/contract/failure.js';

const variables = z.record(z.string(), z.string());

/** The caller's environment as it was at the start of a run: `base` for everyone, `passed` only for agents whose configuration names the variable. */
export const runEnvironmentSchema = z.strictObject({ base: variables, passed: variables });
export type RunEnvironment = z.infer<typeof runEnvironmentSchema>;

const baseNames =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_[A-Z_]+|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)$/;

/** Where toolchains keep what they cannot work without; a check has a home of its own, so these are pointed at the user's. */
const toolchains: Record<string, string> = {
  RUSTUP_HOME: '.rustup',
  CARGO_HOME: '.cargo',
  GOPATH: 'go',
  GOCACHE: '.cache/go-build',
  PYENV_ROOT: '.pyenv',
  NVM_DIR: '.nvm',
  VOLTA_HOME: '.volta',
  ASDF_DATA_DIR: '.asdf',
  SDKMAN_DIR: '.sdkman',
  GRADLE_USER_HOME: '.gradle',
};
const toolchainNames = [...Object.keys(toolchains), 'JAVA_HOME', 'GOROOT', 'VIRTUAL_ENV', 'DENO_DIR', 'BUN_INSTALL'];

/** File name of the saved environment inside a run's `files` folder; readable by its owner only. */
export const environmentFile = 'environment.json';

/** Takes from the caller's environment what a run may use; `pass` are the names that the configuration gives to agents. */
export function takeEnvironment(env: Record<string, string | undefined>, pass: readonly string[]): RunEnvironment {
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value !== undefined && wanted(name) ? [[name, value]] : [])));
  return { base: pick((name) => baseNames.test(name) || toolchainNames.includes(name)), passed: pick((name) => pass.includes(name)) };
}

/** Reads the environment that was saved at a run's start; a missing or damaged file is `wrong_host`, since it never leaves its machine. */
export function readEnvironment(files: string): RunEnvironment {
  const file = join(files, environmentFile);
  try {
    return runEnvironmentSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new PdlcError('wrong_host', `${file}: expected the environment saved when the run was started on this machine, found none that can be read`, {
      cause,
    });
  }
}

/** Environment of setup commands, and the ground of an agent's: the caller's base with its own additions. */
export function trustedEnvironment({ base }: RunEnvironment, extra: Record<string, string>): Record<string, string> {
  return { ...base, ...extra };
}

/** Environment of an agent: the caller's base, what `command` names to pass, its own variables, and last what its start adds. */
export function agentEnvironment(environment: RunEnvironment, command: AgentCommand, own: Record<string, string>): Record<string, string> {
  const passed = Object.fromEntries(Object.entries(environment.passed).filter(([name]) => command.pass.includes(name)));
  return trustedEnvironment(environment, { ...passed, ...command.env, ...own });
}

/** Environment of a check: nothing of the user's home but toolchains, a home and temp folder of its own, and no terminal. */
export function checkEnvironment({ base }: RunEnvironment, at: { home: string; temp: string }, extra: Record<string, string>): Record<string, string> {
  const { HOME: realHome = '', XDG_CONFIG_HOME: _c, XDG_DATA_HOME: _d, XDG_STATE_HOME: _s, XDG_CACHE_HOME: _k, XDG_RUNTIME_DIR: _r, ...rest } = base;
  const found = Object.entries(toolchains).flatMap(([name, folder]) => {
    const path = join(realHome, folder);
    return realHome !== '' && existsSync(path) ? [[name, path]] : [];
  });
  return { ...Object.fromEntries(found), ...rest, HOME: at.home, TMPDIR: at.temp, CI: 'true', GIT_TERMINAL_PROMPT: '0', ...extra };
}
