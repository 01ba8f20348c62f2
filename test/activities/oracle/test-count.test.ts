// Guarantees of counting tests: the real summary lines of runners are read, what only sounds like one is not, and nothing is counted that did not run.
import { describe, expect, test } from 'vitest';
import { countTests, saysNoTestsYet } from '../../../activities/oracle/test-count.js';

const tapSummary = (pass: number, fail: number, skipped: number) =>
  `TAP version 13\n# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 0.1\n  ...\n1..1\n# tests ${pass + fail + skipped}\n# suites 0\n# pass ${pass}\n# fail ${fail}\n# cancelled 0\n# skipped ${skipped}\n# todo 0\n# duration_ms 98.1\n`;
const rust = (passed: number, failed: number, ignored: number) =>
  `running ${passed + failed + ignored} tests\n\ntest result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; ${ignored} ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;
const interrupted = '!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n';

describe('summaries of runners', () => {
  test.each<[string, string, number | null]>([
    ['node:test TAP', tapSummary(2, 1, 1), 3],
    ['node:test TAP without a file', tapSummary(0, 0, 0).replace('ok 1 - a', '').replace('1..1', '1..0'), 0],
    ['node:test spec', '✔ a (0.1ms)\nℹ tests 4\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 1\nℹ skipped 0\nℹ todo 1\nℹ duration_ms 146.1\n', 3],
    ['node:test spec, all by name skipped', 'ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\n', 0],
    ['node:test without the named file', "Could not find '/p/test/*.test.js'\n", 0],
    ['vitest', ' Test Files  1 failed (1)\n      Tests  1 failed | 1 passed | 1 skipped | 1 todo (4)\n   Start at  20:09:20\n', 2],
    ['vitest passed', ' Test Files  1 passed (1)\n      Tests  12 passed (12)\n', 12],
    ['vitest, all skipped', ' Test Files  1 skipped (1)\n      Tests  1 skipped (1)\n', 0],
    ['vitest, a file that cannot be loaded', ' Test Files  1 failed (1)\n      Tests  no tests\n   Start at  20:09:21\n', 0],
    ['vitest without files', 'No test files found, exiting with code 1\n\nfilter: zzz\n', 0],
    ['vitest without files, passing', 'No test files found, exiting with code 0\n', 0],
    ['jest', 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 2 passed, 4 total\nSnapshots:   0 total\nTime:        0.4 s\n', 3],
    ['jest, a suite that cannot be loaded', 'Test Suites: 1 failed, 1 total\nTests:       0 total\n', 0],
    ['jest without tests', 'No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n', 0],
    ['mocha', '\n  3 passing (12ms)\n  1 pending\n  2 failing\n\n  1) a:\n', 5],
    ['mocha without tests', '\n  0 passing (1ms)\n', 0],
    ['mocha without files', 'Error: No test files found: "test"\n', 0],
    ['pytest', '==================== 1 failed, 1 passed, 1 skipped in 0.02s ====================\n', 2],
    ['pytest -q', '1 failed, 3 passed, 2 warnings in 65.43s (0:01:05)\n', 4],
    ['pytest, errors of fixtures', '========== 1 passed, 1 error in 0.10s ==========\n', 2],
    ['pytest, expected failures and reruns', '1 xfailed, 1 xpassed, 1 rerun, 3 subtests passed in 0.10s\n', 2],
    [
      'pytest, a file that cannot be loaded',
      `collected 0 items / 1 error\n${interrupted}=============================== 1 error in 0.10s ===============================\n`,
      0,
    ],
    ['pytest without tests', 'collected 0 items\n\n============================ no tests ran in 0.01s =============================\n', 0],
    ['pytest -q without tests', '\nno tests ran in 0.00s\n', 0],
    [
      'pytest, all deselected',
      'collected 3 items / 3 deselected / 0 selected\n\n============================ 3 deselected in 0.01s =============================\n',
      0,
    ],
    ['unittest', 'Ran 3 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n', 2],
    ['unittest, one test', 'Ran 1 test in 0.000s\n\nOK\n', 1],
    ['unittest without tests', 'Ran 0 tests in 0.000s\n\nOK\n', 0],
    ['unittest without tests since 3.12', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN\n', 0],
    ['go test', '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/x/fail\t0.004s\n?   \texample.org/x/none\t[no test files]\nFAIL\n', null],
    ['go test, packages without tests', '?   \texample.org/x/none\t[no test files]\nok  \texample.org/x/some\t(cached) [no tests to run]\n', 0],
    ['go test, one package with tests', '?   \texample.org/x/none\t[no test files]\nok  \texample.org/x/some\t0.003s\n', null],
    ['go test that does not build', 'FAIL\texample.org/x/syn2 [build failed]\nFAIL\n', null],
    ['cargo test', `${rust(2, 0, 1)}${rust(0, 1, 0)}`, 3],
    ['cargo test without tests', rust(0, 0, 0), 0],
    [
      'cargo test whose long beginning is cut, before doc tests',
      `test result: ok. 2000 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n${rust(0, 0, 0)}`,
      2000,
    ],
    [
      'Maven',
      '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s - in ATest\n[INFO] \n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 2\n',
      3,
    ],
    ['Maven without tests', '[INFO] No tests to run.\n', 0],
    ['RSpec', 'Finished in 0.002 seconds\n3 examples, 1 failure, 1 pending\n', 2],
    ['RSpec, a file that cannot be loaded', '0 examples, 0 failures, 1 error occurred outside of examples\n', 0],
    ['PHPUnit', 'OK (5 tests, 7 assertions)\n', 5],
    ['PHPUnit with failures', 'FAILURES!\nTests: 5, Assertions: 7, Failures: 1, Skipped: 2.\n', 3],
    ['PHPUnit without tests', 'No tests executed!\n', 0],
    ['TAP', '1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP not here\n', 2],
    ['TAP without tests', '1..0 # SKIP nothing here\n', 0],
  ])('%s', (_, output, expected) => {
    expect(countTests(output)).toBe(expected);
  });
});

test.each([
  'Could we add 5 tests? The 3 passing ones are fine, 2 failing ones are not.',
  '3 passing cars\n2 failing brakes',
  'collected 0 items of rubbish',
  'Tests: 5 of them',
  'Ran 5 tests in the morning',
  'no tests ran in this project',
  'Tests are written (3)\nin files',
  'I expected 3 passed in total',
  'see lines 1..3 of the file',
  'running 0 tests of patience',
  '5 examples, 2 failures and a way out',
  'ok then [no test files]',
  'No tests found in the drawer',
  '',
])('text that only mentions tests gives no count: %j', (text) => {
  expect(countTests(text)).toBeNull();
});

test('a part of a project without tests does not hide those of another', () => {
  expect(countTests(`No test files found, exiting with code 0\n${tapSummary(3, 0, 0)}`)).toBe(3);
  expect(countTests(`${rust(0, 0, 0)}1 passed in 0.10s\n`)).toBe(1);
});

test.each<[string, boolean]>([
  ['============ no tests ran in 0.01s ============\n', true],
  ['No test files found, exiting with code 1\n', true],
  ['No tests found, exiting with code 1\n', true],
  ['Ran 0 tests in 0.000s\n\nNO TESTS RAN\n', true],
  ['No test files found, exiting with code 0\nerror TS2304: Cannot find name\n', false],
  [`collected 0 items / 1 error\n${interrupted}1 error in 0.10s\n`, false],
  [' Test Files  1 failed (1)\n      Tests  no tests\n', false],
  ['Tests:       0 total\n', false],
])('only a runner that found nothing counts as a project without tests: %j', (output, expected) => {
  expect(saysNoTestsYet(output)).toBe(expected);
});
