// Guarantees of the tdd stage: only new tests that run and fail pass, and what was green on the base stays green.
import { beforeAll, describe, expect, test } from 'vitest';
import { candidateOn, command, configOf, type Files, judgeAs, lineOf, makeRun, project, type Run, redFiles } from './run.js';

let shared: Run;
beforeAll(async () => {
  shared = await makeRun();
});

const judged = async (run: Run, files: Files): Promise<string> => lineOf(await judgeAs('tdd', run, { candidate: candidateOn(run, run.base, files) }));
const withUnit = (run: string, timeout = 20_000): Promise<Run> => makeRun({ config: configOf({ checks: { unit: command(run, { timeout }) } }) });

test('new tests that run and fail are accepted, with both runs of the check as evidence', async () => {
  const verdict = await judgeAs('tdd', shared, { candidate: candidateOn(shared, shared.base, redFiles) });
  expect(lineOf(verdict)).toBe('pass at checks');
  expect(verdict.checks).toMatchObject([
    { name: 'unit', kind: 'failed', exitCode: 1, tests: 2 },
    { name: 'unit (without the new tests)', kind: 'passed', tests: 1 },
  ]);
});

describe('nothing but red tests is red', () => {
  test('green new tests are refused', async () => {
    expect(await judged(shared, { 'test/more.test.sh': 'true\n' })).toBe('reject at checks: unit passed; expected the new tests to run and fail');
  });

  test.each([
    ['exit 124', 'unit reached its time limit'],
    ['exit 126', 'unit could not run (exit 126)'],
    ['no-such-program-at-all', 'unit could not run (exit 127)'],
    ['exit 137', 'unit was ended by signal 9'],
    ['kill -TERM $$', 'unit was ended by signal 15'],
    ['echo "# pass 0"; echo "# fail 0"; exit 1', 'unit ran no tests (exit 1)'],
    ['echo "!!!! Interrupted: 1 error during collection !!!!"; echo "=== 1 error in 0.10s ==="; exit 2', 'unit ran no tests (exit 2)'],
  ])('%s is refused', async (run, found) => {
    expect(await judged(await withUnit(run), redFiles)).toBe(`reject at checks: ${found}; expected the new tests to run and fail`);
  });

  test('a check that reaches its time limit is refused', async () => {
    expect(await judged(await withUnit('sleep 60', 300), redFiles)).toMatch(/^reject at checks: unit reached its time limit/);
  });
});

describe('what is admitted', () => {
  const weakened = /^reject at admit: existing test files may only gain lines: test\/add.test.sh$/;
  test.each<[string, Files, RegExp]>([
    ['nothing changed', {}, /^reject at admit: nothing was changed/],
    ['only the engine’s state files', { 'docs/.pdlc-state/F1.json': '{}' }, /^reject at admit: nothing was changed/],
    ['no test path touched', { 'src/twice.sh': 'twice() { :; }\n' }, /^reject at admit: no test path was touched; changed were src\/twice.sh$/],
    ['a deleted test', { ...redFiles, 'test/add.test.sh': null }, weakened],
    ['a changed line of a test', { ...redFiles, 'test/add.test.sh': '. ./src/add.sh\n[ "$(add 1 2)" != 4 ]\n' }, weakened],
    ['lines of a test in another order', { ...redFiles, 'test/add.test.sh': '[ "$(add 1 2)" = 3 ]\n. ./src/add.sh\n' }, weakened],
    ['a test made a link', { ...redFiles, 'test/add.test.sh': { text: '../src/add.sh', mode: '120000' } }, weakened],
    [
      'runner configuration changed',
      { ...redFiles, 'vitest.config.ts': 'export default { bail: 1 };\n' },
      /^reject at admit: configuration that decides .* tdd: vitest.config.ts$/,
    ],
    ['runner configuration added', { ...redFiles, 'jest.config.js': '' }, /^reject at admit: configuration that decides .* tdd: jest.config.js$/],
    ['scripts changed', { ...redFiles, 'package.json': project['package.json'].replace('"x"', '"true"') }, /tdd: package.json \(scripts\)$/],
    ['a lockfile changed', { ...redFiles, 'package-lock.json': '{}' }, /^choice at integrity: .*: package-lock.json$/],
  ])('%s is refused', async (_, files, expected) => {
    expect(await judged(shared, files)).toMatch(expected);
  });

  test('an existing test that only gained lines is accepted', async () => {
    const grown = `. ./src/add.sh\n. ./src/twice.sh\n[ "$(add 1 2)" = 3 ] || exit 1\n[ "$(add 1 2)" = 3 ]\n[ "$(twice 2)" = 4 ]\n`;
    expect(await judged(shared, { 'src/twice.sh': redFiles['src/twice.sh'], 'test/add.test.sh': grown })).toBe('pass at checks');
  });
});

describe('what was green stays green', () => {
  test('a stub that breaks a test of the base is refused', async () => {
    expect(await judged(shared, { ...redFiles, 'src/add.sh': 'add() { return 1; }\n' })).toBe(
      'reject at checks: unit (without the new tests) failed (exit 1); expected it to pass',
    );
  });

  test('a stub that keeps the tests of the base from being collected is refused', async () => {
    const run = await withUnit(
      'if [ -e test/twice.test.sh ]; then echo "1 failed, 1 passed in 0.10s"; exit 1; fi; [ ! -e src/twice.sh ] || { echo "!!! Interrupted: 1 error during collection !!!"; echo "1 error in 0.10s"; exit 2; }',
    );
    expect(await judged(run, redFiles)).toMatch(/^reject at checks: unit \(without the new tests\) ran no tests/);
  });

  test('a project without a single test may get its first', async () => {
    const run = await withUnit('[ -e test/twice.test.sh ] && { echo "1 failed in 0.1s"; exit 1; }; echo "no tests ran in 0.01s"; exit 5');
    expect(await judged(run, redFiles)).toBe('pass at checks');
  });

  test('other checks have to pass, coverage and e2e are not judged', async () => {
    const checks = { unit: configOf().checks.unit ?? command('false'), lint: command('exit 1'), coverage: command('exit 1'), e2e: command('exit 1') };
    expect(await judged(await makeRun({ config: configOf({ checks }) }), redFiles)).toBe('reject at checks: lint failed (exit 1); expected it to pass');
    const passing = { ...checks, lint: command('true') };
    expect(await judged(await makeRun({ config: configOf({ checks: passing }) }), redFiles)).toBe('pass at checks');
  });
});
