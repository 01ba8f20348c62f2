// Owns the script of full and broken disks: node test/chaos/disk.mjs. Real loops on small disks that fill up or turn read-only under them, and come back after a while.
// Every run must say what is wrong while it waits, pass nothing meanwhile, and end by itself as one without faults. Needs to mount: as root, or in a namespace of its own.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServerBinary } from '../../dist/worker/stack/binary.js';
import { openDisks } from './disk-world.mjs';

const canMount = (command, ...args) =>
  spawnSync(command, [...args, 'sh', '-c', 'd=$(mktemp -d) && mount -t tmpfs none "$d" && umount "$d" && rmdir "$d"']).status === 0;
const inNamespace = ['-Ur', '-m'];

if (process.argv.includes('--inside')) process.exitCode = await main();
else if (canMount('unshare', '-m')) process.exitCode = again('unshare', '-m');
else if (canMount('unshare', ...inNamespace)) process.exitCode = again('unshare', ...inNamespace);
else console.log('skipped: neither root nor a user namespace may mount a disk here');

/** This script again, where what it mounts is seen by nobody else and goes with it. */
function again(command, ...args) {
  return spawnSync(command, [...args, process.execPath, fileURLToPath(import.meta.url), '--inside'], { stdio: 'inherit' }).status ?? 1;
}

/** The server's binary is kept outside of the small disks, on which there is no room for it. */
async function provideBinary() {
  const home = resolve(import.meta.dirname, '../../node_modules/.cache/pdlc');
  const found = await findServerBinary({ home, env: process.env, log: console.error });
  if (found.kind === 'found') process.env.PDLC_TEMPORAL_BIN = found.path;
}

async function main() {
  await provideBinary();
  const scenarios = [
    ['the disk of the runs fills up while an agent writes', 'runs', { filler: 'worker implement', starts: [4] }],
    ['the disk of the runs fills up while a check decides what is red', 'runs', { filler: 'check', starts: [3] }],
    ['the disk of the user’s repository is full when a stage is published', 'repo', { filler: 'worker tdd', starts: [3] }],
    // An agent whose result could not be written down is lost, and another one starts.
    ['the disk of the runs turns read-only', 'runs', { readOnly: true, starts: [3, 4] }],
    ['all of PDLC_HOME fills up, the server’s own database too', 'home', { filler: 'worker implement', starts: [4] }],
  ];
  const problems = [];
  for (const disk of ['runs', 'home']) {
    const disks = openDisks(disk);
    const before = problems.length;
    try {
      for (const [name, where, how] of scenarios.filter(([, where]) => (where === 'home') === (disk === 'home'))) {
        const startedMs = Date.now();
        const found = await disks.run(where, how);
        console.log(`${found.length === 0 ? 'ok' : 'FAILED'} ${name} (${((Date.now() - startedMs) / 1000).toFixed(1)} s)`);
        problems.push(...found);
      }
    } finally {
      disks.close(problems.length > before);
    }
  }
  for (const problem of problems) console.log(`FAILED ${problem}`);
  return problems.length === 0 ? 0 : 1;
}
