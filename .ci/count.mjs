// Prints the last line of a CI run from vitest's JSON report and the number of failed gates, and exits with 1 unless all is well.
import { readFileSync } from 'node:fs';

const [file, failedGates] = process.argv.slice(2);
const { passed, failed, skipped } = count(readReport(file));
// A gate that failed without a failed test of its own (style, types, a process left behind) counts as one failure.
const allFailed = failed + Math.max(0, Number(failedGates) - (failed > 0 ? 1 : 0));
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${allFailed} failed`);
process.exit(allFailed === 0 && passed > 0 ? 0 : 1);

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
