// Owns reading how many tests a runner says it ran. It is used only to refuse: a count of zero is never red and never green by itself.

/** Reads one runner's own summary lines; null when there are none. */
type Counter = (text: string) => number | null;

/** What a runner says when it failed for no other reason than that there was nothing to run. */
const foundNothing = [
  /^No test files found, exiting with code [1-9]/m, // vitest
  /^No tests found, exiting with code [1-9]/m, // jest
  /^Error: No test files found/m, // mocha
  /^Could not find '.+'$/m, // node:test
  /^(?:=+ )?no tests ran in [\d.]+s/m, // pytest
  /^NO TESTS RAN\b/m, // unittest
  /^No tests executed!$/m, // PHPUnit
];
/** What a runner says when it ran nothing, for whatever reason. */
const ranNothing = [
  ...foundNothing,
  /^No test(?: file)?s found, exiting with code 0/m,
  /^collected 0 items(?: \/.*)?$/m,
  /^\[\w+\] No tests to run\.$/m, // Maven
];

/** Pytest runs nothing when a file cannot be loaded, although it reports an error for it. */
const interrupted = /^!+ Interrupted: \d+ errors? during collection/m;

/** One counter per runner. What was skipped, ignored or left for later did not run. */
const counters: Counter[] = [
  (text) => total(text, /^(?:#|ℹ) (?:pass|fail|cancelled) +(\d+)$/gm), // node:test
  (text) => total(text, /^[ \t]*(\d+) (?:passing \(\d+m?[smh]\)|failing)$/gm), // mocha
  (text) => total(text, /^Ran (\d+) tests? in [\d.]+s$(?:\s+\w+ \(.*?skipped=(\d+))?/gm), // unittest
  (text) => total(text, /^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)$/gm), // Maven
  (text) => total(text, /^(\d+) examples?, \d+ failures?(?:, (\d+) pending)?(?:, \d+ errors? occurred outside of examples)?$/gm), // RSpec
  (text) => total(text, /^OK \((\d+) tests?, \d+ assertions?\)$/gm), // PHPUnit
  (text) => total(text, /^Tests: (\d+), Assertions: \d+(?:.*?, Skipped: (\d+))?.*\.$/gm), // PHPUnit
  (text) => named(text, /^[ \t]*Tests[ \t]+(?:no tests|\d+ .*\(\d+\))[ \t]*$/gm), // vitest
  (text) => named(text, /^Tests:[ \t]+(?:.*, )?\d+ total$/gm), // jest
  (text) => (interrupted.test(text) ? 0 : named(text, /^(?:=+ )?(?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+ in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/gm)), // pytest
  (text) => named(text, /^test result: \w+\. .*$/gm), // cargo test
  (text) => planned(text), // TAP
  (text) => (ranNothing.some((line) => line.test(text)) || wentWithoutTests(text) ? 0 : null),
];

/** The number of tests that runners report as run in their output, or null when no known summary is there. Zero only if nothing else says more. */
export function countTests(output: string): number | null {
  const counts = counters.map((count) => count(output)).filter((count) => count !== null);
  return counts.find((count) => count > 0) ?? counts[0] ?? null;
}

/** Whether a runner says that it failed because there is no test yet, as opposed to tests that could not be loaded. */
export function saysNoTestsYet(output: string): boolean {
  return foundNothing.some((line) => line.test(output));
}

/** Sum of what a line counts (first group) without what it skipped (second group). */
function total(text: string, line: RegExp): number | null {
  const found = [...text.matchAll(line)];
  return found.length > 0 ? found.reduce((sum, [, all, skipped]) => sum + Number(all) - Number(skipped ?? 0), 0) : null;
}

/** Sum of the numbers in these lines that stand before a word for a test that ran. */
function named(text: string, line: RegExp): number | null {
  const found = text.match(line);
  return found ? (total(found.join('\n'), /(\d+) (?:passed|failed|errors?|xfailed|xpassed)\b/g) ?? 0) : null;
}

function planned(text: string): number | null {
  const plan = total(text, /^1\.\.(\d+)(?:\s+#.*)?$/gm);
  const skipped = text.match(/^ok\b.*# *(?:skip|todo)\b/gim)?.length ?? 0;
  return plan === null ? null : Math.max(0, plan - skipped);
}

/** Without -v go prints no count; only "nothing at all was tested" can be known. */
function wentWithoutTests(text: string): boolean {
  const packages = text.match(/^(?:ok {2}|FAIL|\? {3})\t.*$/gm) ?? [];
  return packages.length > 0 && packages.every((line) => /\[no test(?: file|s to run)/.test(line));
}
