// Owns the benchmark (npm run bench): what the engine costs over a bare shell script that does the same git steps, and how quick single commands are.
// Everything is measured in one run on one machine; ratios and differences count, not absolutes. It asserts nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { approvingCard, openFolder, stateFile } from '../helpers/world.mjs';

const rounds = Number(process.env.PDLC_BENCH_ROUNDS ?? 7);
const world = openFolder('bench');
const { root, env, pdlc } = world;

const agent = `#!/bin/sh
cat >/dev/null
case $PDLC_ROLE-$PDLC_STAGE in
  worker-tdd) date +%s%N >'${root}/first-byte'; echo t >feature.test.js ;;
  worker-implement) echo i >feature.js ;;
  evaluator-*) ${approvingCard} ;;
esac
`;
/** The same stages by hand: a tree, the agent, a commit, a clean checkout and the check for each stage, a state commit, and the branch. */
const bare = `set -e
git worktree add -q -b by-hand ../by-hand
cd ../by-hand
for stage in tdd implement review; do
  if [ $stage = review ]; then PDLC_ROLE=evaluator PDLC_STAGE=review PDLC_COMMIT=$(git rev-parse HEAD) ./agent.sh </dev/null >/dev/null
  else PDLC_ROLE=worker PDLC_STAGE=$stage ./agent.sh </dev/null; git add -A; git commit -q -m $stage; fi
  git worktree add -q --detach ../room; (cd ../room && sh -c "$CHECK" || true); git worktree remove --force ../room
  echo $stage >>docs-state; git add -A; git commit -q -m "$stage state"
done
`;
const check = 'test ! -e feature.test.js || test -e feature.js';

try {
  await main();
} finally {
  world.close();
}

async function main() {
  const rows = [];
  pdlc(root, 'up');
  const pairs = Array.from({ length: rounds }, (_, index) => ({ byHand: byHand(`hand-${index}`), loop: loop(`loop-${index}`) }));
  const hand = pairs.map(({ byHand }) => byHand);
  const loops = pairs.map(({ loop }) => loop);
  const cost = pairs.map(({ byHand, loop }) => loop - byHand);
  rows.push(['three stages by a bare shell script', ...figures(hand), '']);
  rows.push(['three stages by loop-run, warm stack', ...figures(loops), `${(median(loops) / median(hand)).toFixed(1)} × the script`]);
  rows.push(['cost of the engine (difference)', ...figures(cost), 'goal ≤ 900 ms']);
  const inside = Array.from({ length: rounds }, (_, index) => stageCosts(`loop-${index}`)).flat();
  rows.push(['one stage inside the workflow', ...figures(inside), 'goal ≤ 250 ms']);
  const repo = join(root, 'loop-0');
  rows.push(['status', ...figures(times(() => pdlc(repo, 'status', 'F1'))), 'goal ≤ 500 ms']);
  rows.push(['loop-next', ...figures(times(() => pdlc(repo, 'loop-next', 'F1'))), 'goal ≤ 150 ms']);
  rows.push(['--help', ...figures(times(() => pdlc(repo, '--help'))), 'goal ≤ 150 ms']);
  rows.push(['node itself (node -e 0)', ...figures(times(() => execFileSync(process.execPath, ['-e', '0']))), '']);
  rows.push(['worker, resident after these runs', '', `${workerMiB()} MiB`, '', 'goal ≤ 200 MiB']);
  const cold = Array.from({ length: Math.min(rounds, 4) }, (_, index) => coldStart(`cold-${index}`));
  rows.push(['nothing running → agent’s first byte', ...figures(cold), 'goal ≤ 2000 ms']);
  print(rows);
}

function makeRepo(name) {
  const settings = `agent: { command: [./agent.sh] }\nchecks: { unit: ${JSON.stringify(check)} }\n`;
  return world.makeRepo(join(root, name), { 'agent.sh': agent, 'design.md': 'A design.\n', 'pdlc.yaml': settings, ...stateFile('F1', 'design.md') });
}

function byHand(name) {
  const dir = makeRepo(`${name}/repo`);
  return timed(() => execFileSync('sh', ['-c', bare], { cwd: dir, env: { ...env, CHECK: check }, stdio: 'ignore' }));
}

function loop(name) {
  const dir = makeRepo(name);
  return timed(() => {
    const { code, stdout, stderr } = pdlc(dir, 'loop-run', 'F1');
    if (code !== 0) throw new Error(`loop-run ended with ${code}\n${stdout}\n${stderr}`);
  });
}

function coldStart(name) {
  pdlc(root, 'down');
  const dir = makeRepo(name);
  const startedMs = Date.now();
  pdlc(dir, 'loop-run', 'F1');
  return Number(BigInt(readFileSync(join(root, 'first-byte'), 'utf8').trim()) / 1_000_000n) - startedMs;
}

function stageCosts(name) {
  const { entries } = JSON.parse(pdlc(join(root, name), 'history', 'F1', '--json').stdout);
  return entries.filter(({ kind }) => kind === 'stage.settled').map(({ durationMs }) => durationMs);
}

function workerMiB() {
  const { worker } = world.stack();
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.identity.pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}

function times(run) {
  return Array.from({ length: rounds }, () => timed(run));
}

function timed(run) {
  const started = performance.now();
  run();
  return performance.now() - started;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function figures(values) {
  return [Math.min(...values), median(values), Math.max(...values)].map((value) => `${Math.round(value)} ms`);
}

function print(rows) {
  const table = [['what', 'min', 'median', 'max', ''], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => String(row[column] ?? '').length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => String(cell ?? '').padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}
