// Stands for dist/worker/main.js: says that it polls, then lives until TERM.
// FAKE_BUILD is its build; FAKE_TROUBLE=dies makes it fail as a worker without a server does, =stubborn makes it ignore TERM.
import { readFileSync, writeFileSync } from 'node:fs';

const { FAKE_BUILD: build, FAKE_TROUBLE: trouble, PDLC_READY_FILE: readyFile } = process.env;
if (trouble === 'dies') {
  console.error('cannot reach the server');
  process.exit(3);
}
process.on('SIGTERM', () => trouble === 'stubborn' || process.exit(0));
const stat = readFileSync('/proc/self/stat', 'utf8');
const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
writeFileSync(readyFile, JSON.stringify({ pid: process.pid, startTime, build }));
setInterval(() => undefined, 1_000);
