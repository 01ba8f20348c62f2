// Prints the last line of a CI run from the number of failed gates and vitest's JSON reports, and exits with 1 unless all is well.
import { readFileSync } from 'node:fs';

const [failedGates, ...files] = process.argv.slice(2);
const counts = files.map((file) => count(readReport(file)));
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((what) => counts.reduce((sum, one) => sum + one[what], 0));
// A gate that failed without a failed test of its own (style, types, a process left behind) counts as one failure.
const allFailed = failed + Math.max(0, Number(failedGates) - (failed > 0 ? 1 : 0));
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${allFailed} failed`);
process.exit(allFailed === 0 && counts.every((one) => one.passed > 0) ? 0 : 1);

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults: [] }; // no report is never a pass
  }
}

function count(report) {
  // A test file that could not be loaded has no tests of its own to count.
  const unloaded = report.testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded, skipped: report.numPendingTests + report.numTodoTests };
}
