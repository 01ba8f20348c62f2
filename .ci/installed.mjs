// Exits with 0 when node_modules holds exactly what package-lock.json names, as npm itself recorded it; otherwise with 1.
import { readFileSync } from 'node:fs';

const wanted = packagesOf('package-lock.json');
const found = packagesOf('node_modules/.package-lock.json');
const isThere = (name) => found[name]?.version === wanted[name].version && found[name]?.integrity === wanted[name].integrity;
// An optional package is one for another platform; what npm left out it cannot have got wrong.
const isComplete = Object.keys(wanted).every((name) => name === '' || isThere(name) || (wanted[name].optional && !(name in found)));
process.exit(isComplete && Object.keys(found).every((name) => name in wanted) ? 0 : 1);

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    process.exit(1); // nothing installed, or not by npm
  }
}
