// Owns the folders and the environment of tests: everything lies under the run's root, whose path has a space and an accent.
// Must never make a folder outside the root or pass a credential on.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';

const kept = /^(PATH|LANG|LC_ALL|TZ|TERM|CI|COLUMNS|SHELL|USER|LOGNAME|SYSTEMROOT|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|PDLC_TEMPORAL_BIN)$|_PROXY$/i;
const credential = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE|MISTRAL|AWS_|AZURE|GITHUB|GITLAB/i;
const leaksIn = /^(PDLC_|GIT_|TEMPORAL_|XDG_)/;

const made: string[] = [];

// Registered when the setup file loads this module, so that it also removes what a single test made.
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A fresh folder under the run's root (absolute path without symbolic links); removed after the test file. */
export function tempDir(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(inject('root'), `${prefix} `)));
  made.push(folder);
  return folder;
}

/** The whole environment for a child of a test: PATH, locale and proxies, a home of its own, no git configuration of the machine, the run's marker. */
export function cleanEnv(change: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env = Object.entries(process.env).flatMap(([name, value]) => (kept.test(name) && value !== undefined ? [[name, value] as const] : []));
  return { ...Object.fromEntries(env), ...ownEnv(), ...change };
}

/** Makes this process's environment safe for tests: strips what looks like a credential and what would leak in from the machine. */
export function cleanProcessEnv(): void {
  for (const name of Object.keys(process.env)) {
    if ((credential.test(name) || leaksIn.test(name)) && !kept.test(name)) delete process.env[name];
  }
  Object.assign(process.env, ownEnv());
}

function ownEnv(): Record<string, string> {
  const root = inject('root');
  const home = join(root, `.home-${process.env.VITEST_POOL_ID ?? '0'}`);
  const temp = join(root, '.tmp');
  for (const folder of [home, temp]) mkdirSync(folder, { recursive: true });
  return { HOME: home, TMPDIR: temp, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', PDLC_TEST_RUN: inject('run') };
}
