// Guarantees of the implement stage: every check is green in the room, and nothing that decides it was touched by the one who is judged.
import { beforeAll, describe, expect, test } from 'vitest';
import { candidateOn, command, configOf, type Files, greenFiles, judgeAs, lineOf, makeRun, project, type Run, redFiles, unit } from './run.js';

const policies = ['ask', 'allow', 'refuse'] as const;
let shared: Run;
let sealed: string;
beforeAll(async () => {
  shared = await makeRun();
  sealed = candidateOn(shared, shared.base, redFiles).commit;
});

const judged = (run: Run, tip: string, files: Files) => judgeAs('implement', run, { candidate: candidateOn(run, tip, files), tip });

test('sealed tests that are green now are accepted, with the check as evidence', async () => {
  const verdict = await judged(shared, sealed, greenFiles);
  expect(lineOf(verdict)).toBe('pass at checks');
  expect(verdict.checks).toMatchObject([{ name: 'unit', kind: 'passed', tests: 2 }]);
});

test('tests that are still red are refused with their output for the next prompt', async () => {
  const verdict = await judged(shared, sealed, { 'src/twice.sh': 'twice() { echo "not yet" >&2; return 1; }\n' });
  expect(verdict).toMatchObject({
    kind: 'reject',
    gate: 'checks',
    reason: 'unit failed (exit 1); expected it to pass',
    feedback: expect.stringContaining('not yet'),
  });
});

test('an agent that changed nothing is refused, a person who resumes may have changed the world outside', async () => {
  const candidate = candidateOn(shared, candidateOn(shared, sealed, greenFiles).commit, {});
  const at = { stage: 'implement', step: 1, attempt: 0, tries: 0 } as const;
  expect(lineOf(await judgeAs('implement', shared, { candidate, tip: sealed }))).toMatch(/^reject at admit: nothing was changed/);
  expect(lineOf(await judgeAs('implement', shared, { candidate, tip: sealed, at }))).toBe('pass at checks');
});

describe('what decides may not be touched', () => {
  test.each<[string, Files, string[]]>([
    ['a sealed test that is changed', { 'test/twice.test.sh': 'true\n' }, ['test/twice.test.sh']],
    ['a test of the base that is changed', { 'test/add.test.sh': 'true\n' }, ['test/add.test.sh']],
    ['a sealed test that only gained lines', { 'test/twice.test.sh': `exit 0\n${redFiles['test/twice.test.sh']}` }, ['test/twice.test.sh']],
    ['a deleted test', { 'test/twice.test.sh': null }, ['test/twice.test.sh']],
    ['a changed fixture', { 'test/fixtures/data é 1.txt': 'other' }, ['test/fixtures/data é 1.txt']],
    ['a test with another mode', { 'test/twice.test.sh': { text: redFiles['test/twice.test.sh'], mode: '100755' } }, ['test/twice.test.sh']],
    ['a test that became a link', { 'test/twice.test.sh': { text: 'add.test.sh', mode: '120000' } }, ['test/twice.test.sh']],
    ['a renamed test', { 'test/twice.test.sh': null, 'test/again.test.sh': redFiles['test/twice.test.sh'] }, ['test/twice.test.sh']],
    ['changed configuration', { 'vitest.config.ts': 'export default { a: 1 };\n' }, ['vitest.config.ts']],
    ['added configuration', { '.mocharc.yml': 'grep: none\n', 'deep/tsconfig.json': '{}' }, ['.mocharc.yml', 'deep/tsconfig.json']],
    ['deleted configuration', { 'vitest.config.ts': null }, ['vitest.config.ts']],
    ['changed scripts', { 'package.json': project['package.json'].replace('"x"', '"true"') }, ['package.json']],
    ['a manifest that is no JSON any more', { 'package.json': '{' }, ['package.json']],
    ['a nested manifest with scripts', { 'packages/one/package.json': '{"scripts":{}}' }, ['packages/one/package.json']],
    ['a new manifest among the tests', { 'test/package.json': '{"type":"commonjs"}' }, ['test/package.json']],
  ])('%s is tampering', async (_, files, paths) => {
    const verdict = await judged(shared, sealed, { ...greenFiles, ...files });
    expect(verdict).toMatchObject({ kind: 'tampered', gate: 'integrity', paths: paths.map((path) => ({ path })) });
    for (const path of paths) expect(lineOf(verdict)).toContain(path);
  });

  test('tampering names the content that was expected and found, null where there is none', async () => {
    const verdict = await judged(shared, sealed, { 'test/twice.test.sh': null, 'jest.config.js': '' });
    const id = expect.stringMatching(/^[0-9a-f]{40}$/);
    expect(verdict).toMatchObject({
      paths: [
        { path: 'test/twice.test.sh', expected: id, found: null },
        { path: 'jest.config.js', expected: null, found: id },
      ],
    });
  });

  test('a manifest that is a fixture is sealed like any other', async () => {
    const run = await makeRun({ files: { ...project, 'test/fixtures/p/package.json': '{"version":"1"}' } });
    const verdict = await judged(run, run.base, { 'test/fixtures/p/package.json': '{"version":"2"}' });
    expect(lineOf(verdict)).toBe('tampered at integrity: sealed files were changed: test/fixtures/p/package.json');
  });

  test('paths that a user seals are sealed', async () => {
    const files = { ...project, 'rules/one.txt': 'a\n' };
    const run = await makeRun({ files, config: configOf({ seal: { paths: ['rules/**'], dependencies: 'ask' } }) });
    expect(lineOf(await judged(run, run.base, { 'rules/one.txt': 'b\n' }))).toMatch(/^tampered .*: rules\/one.txt$/);
  });

  test('a person’s reseal makes the tests of the kept tree the seal', async () => {
    const candidate = candidateOn(shared, sealed, { ...greenFiles, 'test/twice.test.sh': 'true\n' });
    expect(lineOf(await judgeAs('implement', shared, { candidate, tip: sealed, seal: candidate.commit }))).toBe('pass at checks');
  });
});

test('new test files and open keys of the manifest are allowed', async () => {
  const files = {
    ...greenFiles,
    'test/more é.test.sh': '. ./src/twice.sh\n[ "$(twice 3)" = 6 ]\n',
    'package.json': project['package.json'].replace('1.0.0', '1.1.0'),
  };
  expect(await judged(shared, sealed, files)).toMatchObject({ kind: 'pass', checks: [{ tests: 2 }, { tests: 3 }] });
});

test('state files are the engine’s own and count for nothing', async () => {
  expect(lineOf(await judged(shared, sealed, { ...greenFiles, 'docs/.pdlc-state/F1.json': '{}' }))).toBe('pass at checks');
});

describe('changed dependencies', () => {
  const manifest = { ...greenFiles, 'package.json': project['package.json'].replace('"a": "1"', '"a": "2"') };
  const expected = {
    ask: 'choice at integrity: dependency manifests or lockfiles were changed: package-lock.json, package.json (dependencies)',
    allow: 'pass at checks',
    refuse: 'reject at integrity: dependencies may not change (seal.dependencies: refuse): package-lock.json, package.json (dependencies)',
  };
  test.each(policies)('under the policy %s', async (dependencies) => {
    const run = await makeRun({ config: configOf({ seal: { paths: [], dependencies } }) });
    const tip = candidateOn(run, run.base, redFiles).commit;
    expect(lineOf(await judged(run, tip, { ...manifest, 'package-lock.json': '{}' }))).toBe(expected[dependencies]);
  });

  test('a person’s choice is kept, and covers dependencies only', async () => {
    const judgedAllowed = (files: Files) =>
      judgeAs('implement', shared, { candidate: candidateOn(shared, sealed, files), tip: sealed, allowDependencies: true });
    expect(lineOf(await judgedAllowed(manifest))).toBe('pass at checks');
    expect((await judgedAllowed({ ...manifest, 'test/add.test.sh': 'true\n' })).kind).toBe('tampered');
  });

  test('dependencies in another order are no change', async () => {
    const files = { ...greenFiles, 'package.json': project['package.json'].replace('"a": "1", "b": "2"', '"b": "2", "a": "1"') };
    expect(lineOf(await judged(shared, sealed, files))).toBe('pass at checks');
  });
});

test('every configured check has to be green, coverage and e2e as well, and a check that counts no test is none', async () => {
  const checks = { unit, coverage: command('exit 1'), e2e: command('true') };
  const run = await makeRun({ config: configOf({ checks }) });
  expect(lineOf(await judged(run, run.base, greenFiles))).toBe('reject at checks: coverage failed (exit 1); expected it to pass');
  const empty = await makeRun({ config: configOf({ checks: { unit: command('echo "1..0"') } }) });
  expect(lineOf(await judged(empty, empty.base, greenFiles))).toBe('reject at checks: unit ran no tests (exit 0); expected it to pass');
});

describe('by what implement adds or may change', () => {
  test('lines that tdd put around a test of the base do not let its behaviour be broken', async () => {
    const masked = { 'test/add.test.sh': `if false; then\n${project['test/add.test.sh']}fi\n` };
    const tip = candidateOn(shared, shared.base, { ...redFiles, ...masked }).commit;
    expect(lineOf(await judged(shared, tip, { ...greenFiles, 'src/add.sh': 'add() { echo 0; }\n' }))).toMatch(
      /^reject at checks: unit \(with the tests of the base\) failed/,
    );
    expect(lineOf(await judged(shared, tip, greenFiles))).toBe('pass at checks');
  });

  test.each(['/etc/hostname', '../../outside', '../..'])('a link to %s is refused', async (text) => {
    const files = { ...greenFiles, 'src/link.sh': { text, mode: '120000' } };
    expect(lineOf(await judged(shared, sealed, files))).toBe('reject at admit: links may not lead out of the repository: src/link.sh');
  });

  test('a link inside the repository is allowed', async () => {
    const files = { ...greenFiles, 'src/link.sh': { text: '../src/add.sh', mode: '120000' } };
    expect(lineOf(await judged(shared, sealed, files))).toBe('pass at checks');
  });

  test('a file that implement adds among the tests cannot turn the sealed tests green', async () => {
    const hooked = command(`[ ! -e test/hook.sh ] || . ./test/hook.sh; ${unit.run}`);
    const run = await makeRun({ config: configOf({ checks: { unit: hooked } }) });
    const tip = candidateOn(run, run.base, redFiles).commit;
    expect((await judged(run, tip, { 'test/hook.sh': 'exit 0\n' })).kind).not.toBe('pass');
  });

  test('a manifest that may also hold settings of test tools is shown to a person, also where dependencies may change', async () => {
    const files = { ...project, 'pyproject.toml': '[tool.pytest.ini_options]\nminversion = "6.0"\n' };
    const run = await makeRun({ files, config: configOf({ seal: { paths: [], dependencies: 'allow' } }) });
    const verdict = await judged(run, run.base, { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-k nothing"\n' });
    expect(verdict.kind).toBe('choice');
  });
});
