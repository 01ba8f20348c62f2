// Owns the world of the disk script: a stack with the folders of its runs and its repositories on small disks, agents and checks that fill them, and what must hold afterwards.
// Must never fill or mount anything outside its own folder.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { approvingCard, command, openFolder, stateFile } from '../helpers/world.mjs';

/** Longest time until a run waits for its disk, and until it has ended, in ms. */
const runMsMax = 60_000;
const diskSize = { runs: '24m', repo: '8m', home: '64m' };
const pollMs = 50;

/** Fills the disk of PDLC_TEST_DISK once, by its own name, and fails as a program does that cannot write. */
const fill = `fill() {
  [ "$1" = "$PDLC_TEST_FILLER" ] && [ ! -e "$PDLC_TEST_LOG.filled" ] || return 0
  : >"$PDLC_TEST_LOG.filled"
  dd if=/dev/zero of="$PDLC_TEST_DISK/filler" bs=65536 2>/dev/null
  while echo x >>"$PDLC_TEST_DISK/filler"; do :; done 2>/dev/null
  return "$2"
}`;
const agent = `#!/bin/sh
cat >/dev/null
echo "$PDLC_ROLE $PDLC_STAGE" >>"$PDLC_TEST_LOG"
${fill}
case "$PDLC_ROLE $PDLC_STAGE" in
  'worker tdd') fill 'worker tdd' 0; echo t >feature.test.js ;;
  'worker implement') fill 'worker implement' 1 && echo i >feature.js || exit 1 ;;
  evaluator*) ${approvingCard} ;;
esac
`;
const check = `${fill}
if [ -e feature.test.js ]; then fill check 1 || exit 1; fi
test ! -e feature.test.js || test -e feature.js`;

/** Opens a world whose disk `small` (`runs`: the folder of all runs, `home`: all of PDLC_HOME) is small, as is that of the repositories. */
export function openDisks(small) {
  const world = openFolder('disk');
  const disks = { home: world.env.PDLC_HOME, runs: join(world.env.PDLC_HOME, 'projects'), repo: join(world.root, 'repos') };
  for (const name of ['repo', small]) {
    mkdirSync(disks[name], { recursive: true });
    mount('-t', 'tmpfs', '-o', `size=${diskSize[name]}`, 'none', disks[name]);
  }
  let runs = 0;
  return {
    run: (where, how) => {
      runs += 1;
      return runOn({ ...world, disk: disks[where] }, `repo-${runs}`, how);
    },
    close: (keep) => {
      world.close({ keep: true });
      if (keep) console.error(readLog(world));
      for (const name of ['repo', small]) execFileSync('umount', ['-l', disks[name]]);
      rmSync(world.root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const mount = (...args) => execFileSync('mount', args, { stdio: 'pipe' });
const remount = (disk, mode) => mount('-i', '-t', 'tmpfs', '-o', `remount,${mode}`, 'none', disk);

/** One feature on a disk that fails in the middle: the problems that were found. */
async function runOn(world, name, { filler, readOnly = false, starts }) {
  const { root, disk, env, makeRepo } = world;
  const log = join(root, `${name}.log`);
  const dir = join(root, 'repos', name);
  const given = { PDLC_TEST_LOG: log, PDLC_TEST_DISK: disk, PDLC_TEST_FILLER: filler ?? '' };
  const settings = { agent: { command: ['./agent.sh'], env: given }, checks: { unit: { run: check, env: given } } };
  makeRepo(dir, { 'agent.sh': agent, 'design.md': 'A design.\n', 'pdlc.yaml': JSON.stringify(settings), ...stateFile('F1', 'design.md') });
  writeFileSync(log, '');
  const cli = spawn(process.execPath, [command, 'loop-run', 'F1'], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const call = { out: '', code: null };
  for (const stream of [cli.stdout, cli.stderr]) stream.setEncoding('utf8').on('data', (text) => (call.out += text));
  cli.once('close', (code) => {
    call.code = code ?? 1;
  });
  const problems = [];
  const isOver = () => call.code !== null;
  if (!(await until(() => isOver() || (readOnly ? turnReadOnly(disk, log) : existsSync(join(disk, 'filler')))))) problems.push('the disk never failed');
  const expected = readOnly ? /a read-only file system/ : /no space left/;
  if (!(await until(() => isOver() || expected.test(statusOf(world, dir).reason ?? ''))))
    problems.push(`status does not say why the run waits: ${JSON.stringify(statusOf(world, dir))}`);
  if (isOver()) problems.push(`it ended on a disk that takes no writes, with ${call.code}`);
  const passed = statusOf(world, dir).steps?.filter(({ ok }) => ok).length;
  if (readOnly) remount(disk, 'rw');
  else rmSync(join(disk, 'filler'), { force: true });
  if (!(await until(isOver))) cli.kill('SIGKILL');
  problems.push(...endProblems(world, { dir, log, call, starts, passed }));
  return problems.map((problem) => `${name}: ${problem}`);
}

/** Refused as long as anything is open for writing there, so it is tried again and again; not before the first stage has passed. */
function turnReadOnly(disk, log) {
  if (!readFileSync(log, 'utf8').includes('worker implement')) return false;
  try {
    remount(disk, 'ro');
    return true;
  } catch {
    return false;
  }
}

function statusOf({ pdlc }, dir) {
  const { stdout } = pdlc(dir, 'status', 'F1', '--json');
  return stdout === '' ? {} : JSON.parse(stdout);
}

function endProblems(world, { dir, log, call, starts, passed }) {
  const { git, pdlc, env } = world;
  if (call.code !== 0) return [`expected it to end well by itself, found ${call.code}: ${call.out.trim().split('\n').slice(-6).join(' | ')}`];
  const problems = [];
  const wanted = (what, expected, found) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) problems.push(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  };
  const report = statusOf(world, dir);
  const started = readFileSync(log, 'utf8').trim().split('\n').length;
  if (!starts.includes(started)) problems.push(`agents: expected ${starts.join(' or ')}, found ${started}`);
  wanted(
    'attempts charged',
    [1, 1, 0],
    report.steps.map(({ attempts }) => attempts),
  );
  if (passed === 3) problems.push('all stages had passed on a disk that takes no writes');
  const subjects = ['tdd, attempt 1', 'tdd passed', 'implement, attempt 1', 'implement passed', 'review passed'].map((text) => `pdlc(F1): ${text}`);
  wanted('commits', subjects, git(dir, 'log', '--format=%s', '--reverse', `${report.base}..pdlc/F1`).split('\n'));
  wanted('changes in the checkout', '', git(dir, 'status', '--porcelain'));
  wanted('git fsck', '', git(dir, 'fsck', '--strict', '--no-dangling'));
  wanted('the ledger', null, JSON.parse(pdlc(dir, 'history', 'F1', '--json').stdout).problem);
  const below = readdirSync(join(env.PDLC_HOME, 'projects'), { recursive: true }).map(String);
  const own = below.filter((path) => path.startsWith(dir.split('/').at(-1)));
  for (const engine of own.filter((path) => path.endsWith('engine.git')))
    wanted('git fsck of the engine', '', git(join(env.PDLC_HOME, 'projects', engine), 'fsck', '--no-dangling'));
  wanted(
    'slots that are still taken',
    [],
    own.filter((path) => path.endsWith('.owner')),
  );
  wanted(
    'trees that were left',
    [],
    own.filter((path) => /\/runs\/[^/]+\/tree$/.test(path)),
  );
  return problems;
}

async function until(holds) {
  const deadline = Date.now() + runMsMax;
  while (!(await holds())) {
    if (Date.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

function readLog({ env }) {
  const file = join(env.PDLC_HOME, 'stack/worker.log');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-3_000) : 'no log of the worker';
}
