// Owns the world of the scripts that use the built command as a person does (benchmark, chaos, recording): a temporary folder with a home, a local stack and repositories of its own.
// Must never touch anything outside that folder.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The built command. */
export const command = resolve(import.meta.dirname, '../../dist/cli/main.js');
/** Longest call of the command, in ms. */
const callMsMax = 120_000;

/** Opens a world, `more` in its environment; `close` stops its stack and removes it, or only stops it when it is to be kept for a look. */
export function openFolder(name, more = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `pdlc-${name}-`)));
  const { PATH, PDLC_TEMPORAL_BIN } = process.env;
  const binary = PDLC_TEMPORAL_BIN ? { PDLC_TEMPORAL_BIN } : {};
  const env = { PATH, HOME: root, PDLC_HOME: join(root, 'home'), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...binary, ...more };
  const pdlc = (cwd, ...args) => call(cwd, args, env);
  const git = (cwd, ...args) => execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  return {
    root,
    env,
    pdlc,
    git,
    /** Makes a repository of one commit; scripts may be executed. */
    makeRepo: (dir, files) => {
      writeFiles(dir, files);
      git(dir, 'init', '-q', '-b', 'main');
      git(dir, 'config', 'user.name', 'Somebody');
      git(dir, 'config', 'user.email', 'somebody@localhost');
      git(dir, 'add', '-A');
      git(dir, 'commit', '-q', '-m', 'base');
      return dir;
    },
    /** What stack.json says; throws while there is none. */
    stack: () => JSON.parse(readFileSync(join(env.PDLC_HOME, 'stack/stack.json'), 'utf8')),
    close: ({ keep = false } = {}) => {
      pdlc(root, 'down');
      if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The state file of a designed feature: its path and text. */
export function stateFile(id, design) {
  const history = [{ stage: 'design', done_at: '2026-01-01T00:00:00Z', produced: [design] }];
  return { [`docs/.pdlc-state/${id}.json`]: JSON.stringify({ feature_id: id, current_stage: 'design', history, next_step: 'pdlc-tdd' }) };
}

/** What an evaluator prints that finds nothing; for a shell script with PDLC_COMMIT in its environment. */
export const approvingCard = `echo "{\\"type\\":\\"result\\",\\"usd\\":0,\\"tokens\\":{\\"in\\":1,\\"out\\":1},\\"card\\":{\\"commit\\":\\"$PDLC_COMMIT\\",\\"summary\\":\\"ok\\",\\"findings\\":[]}}"`;

function writeFiles(dir, files) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.endsWith('.sh')) chmodSync(file, 0o755);
  }
}

/** How a call ended; a stop is an exit code that is expected. */
function call(cwd, args, env) {
  try {
    const stdout = execFileSync(process.execPath, [command, ...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: callMsMax });
    return { code: 0, stdout, stderr: '' };
  } catch ({ status, stdout, stderr }) {
    return { code: status, stdout: String(stdout ?? ''), stderr: String(stderr ?? '') };
  }
}
