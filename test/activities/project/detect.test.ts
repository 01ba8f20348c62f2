// Guarantees of looking at a project: what is found is proposed, what is not found stays a comment, and every proposal can be read.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../activities/project/config-file.js';
import { type Detection, detectProject, proposeConfig } from '../../../activities/project/detect.js';
import { defaultLimits } from '../../../machines/contract/limits.js';
import { tempDir } from '../../helpers/temp.js';

type Files = Record<string, string>;

function detect(files: Files): Detection {
  const dir = tempDir('project é');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return detectProject(dir);
}

const scripts = (all: Record<string, string>, more: object = {}): string => JSON.stringify({ scripts: all, ...more });
const jest = scripts({ test: 'jest', lint: 'eslint .' });

test.each<[string, Files, Partial<Detection>]>([
  [
    'npm',
    { 'package.json': jest, 'package-lock.json': '' },
    { packageManager: 'npm', runner: 'jest', setup: 'npm ci', checks: { unit: 'npm test', lint: 'npm run lint' } },
  ],
  [
    'pnpm',
    { 'package.json': jest, 'pnpm-lock.yaml': '' },
    { packageManager: 'pnpm', setup: 'pnpm install --frozen-lockfile', checks: { unit: 'pnpm test', lint: 'pnpm run lint' } },
  ],
  ['yarn 1', { 'package.json': jest, 'yarn.lock': '' }, { packageManager: 'yarn', setup: 'yarn install --frozen-lockfile' }],
  [
    'yarn 4',
    { 'package.json': scripts({ test: 'vitest' }, { packageManager: 'yarn@4.1.0' }), 'yarn.lock': '' },
    { runner: 'vitest', setup: 'yarn install --immutable' },
  ],
  [
    'bun',
    { 'package.json': scripts({ test: 'mocha' }), 'bun.lock': '' },
    { packageManager: 'bun', runner: 'mocha', setup: 'bun install --frozen-lockfile', checks: { unit: 'bun run test' } },
  ],
  ['node:test', { 'package.json': scripts({ test: 'node --test' }) }, { packageManager: null, runner: 'node:test', setup: null, checks: { unit: 'npm test' } }],
  [
    'all scripts',
    { 'package.json': scripts({ 'test:unit': 'vitest', test: 'x', 'test:coverage': 'x', 'test:e2e': 'x' }) },
    { checks: { unit: 'npm run test:unit', coverage: 'npm run test:coverage', e2e: 'npm run test:e2e' } },
  ],
  [
    'uv',
    { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest"]\n[tool.ruff]\n', 'uv.lock': '' },
    { packageManager: 'uv', runner: 'pytest', setup: 'uv sync --locked', checks: { unit: 'uv run pytest', lint: 'uv run ruff check .' } },
  ],
  ['poetry', { 'pyproject.toml': 'pytest', 'poetry.lock': '' }, { packageManager: 'poetry', checks: { unit: 'poetry run pytest' } }],
  [
    'pip',
    { 'requirements.txt': 'flask', 'requirements-dev.txt': 'pytest' },
    {
      packageManager: 'pip',
      setup: 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt -r requirements-dev.txt',
      checks: { unit: '.venv/bin/python -m pytest' },
    },
  ],
  ['python without pytest', { 'setup.py': '' }, { packageManager: null, runner: null, setup: null, checks: {} }],
  [
    'go',
    { 'go.mod': 'module x', '.golangci.yml': '' },
    { packageManager: 'go', setup: 'go mod download', checks: { unit: 'go test ./...', lint: 'golangci-lint run' } },
  ],
  ['cargo', { 'Cargo.toml': '', 'Cargo.lock': '' }, { packageManager: 'cargo', setup: 'cargo fetch --locked', checks: { unit: 'cargo test' } }],
  ['maven', { 'pom.xml': '', mvnw: '' }, { packageManager: 'maven', setup: null, checks: { unit: './mvnw -B test' } }],
  ['gradle', { 'build.gradle.kts': '' }, { packageManager: 'gradle', checks: { unit: 'gradle test' } }],
  ['composer', { 'composer.json': '{}', 'phpunit.xml.dist': '' }, { packageManager: 'composer', runner: 'phpunit', checks: { unit: 'vendor/bin/phpunit' } }],
  ['composer script', { 'composer.json': '{"scripts": {"test": "x"}}' }, { checks: { unit: 'composer test' } }],
  [
    'rspec',
    { Gemfile: 'gem "rspec"', '.rubocop.yml': '' },
    { packageManager: 'bundler', runner: 'rspec', checks: { unit: 'bundle exec rspec', lint: 'bundle exec rubocop' } },
  ],
  [
    'make',
    { Makefile: '.PHONY: test lint\ntest: build\n\tx\ncheck lint:\n\tx\nTEST := 1\n' },
    { packageManager: null, setup: null, checks: { unit: 'make test', lint: 'make lint' } },
  ],
  ['make beside go', { Makefile: 'lint:\n\tx\n', 'go.mod': '' }, { packageManager: 'go', checks: { unit: 'go test ./...' } }],
  [
    'test-commands.yml',
    { 'docs/00_standards/test-commands.yml': 'unit: make t\nlint: ""\n', 'package.json': jest, 'package-lock.json': '' },
    { packageManager: 'npm', runner: 'jest', setup: 'npm ci', checks: { unit: 'make t' } },
  ],
  [
    'tests of another language than the first manifest',
    { 'package.json': scripts({ build: 'x' }), 'package-lock.json': '', 'go.mod': '' },
    { packageManager: 'go', setup: 'go mod download', checks: { unit: 'go test ./...' } },
  ],
  ['nothing', { 'README.md': '# Hi' }, { packageManager: null, runner: null, setup: null, checks: {}, agentHint: null, evidence: [] }],
])('%s', (_, files, found) => {
  const detection = detect(files);
  expect(detection).toMatchObject(found);
  expect(detection.checks).toEqual(found.checks ?? detection.checks);
  const proposal = parseConfig(proposeConfig(detection), 'pdlc.yaml');
  const runs = proposal.ok ? Object.fromEntries(Object.entries(proposal.file.checks ?? {}).map(([name, { run }]) => [name, run])) : proposal.problems;
  expect(runs).toEqual(detection.checks);
  expect(proposal.ok && (proposal.file.setup?.run ?? null)).toEqual(detection.setup);
});

test.each<[string, Files, RegExp]>([
  [
    'two lockfiles',
    { 'package.json': scripts({ test: 'jest' }, { dependencies: { a: '1' } }), 'yarn.lock': '', 'package-lock.json': '' },
    /no single lockfile/,
  ],
  ['a placeholder', { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }), 'package-lock.json': '' }, /only a placeholder/],
  ['a watcher', { 'package.json': scripts({ test: 'jest --watch' }) }, /watches and would not end/],
  ['a broken manifest', { 'package.json': '{' }, /expected a JSON object/],
  ['a broken test-commands.yml', { 'docs/00_standards/test-commands.yml': 'unti: x' }, /did you mean "unit"/],
])('%s is a doubt: told, and never made a command', (_, files, told) => {
  const detection = detect(files);
  expect(detection.evidence.join('\n')).toMatch(told);
  expect(detection.setup === null || detection.checks.unit === undefined).toBe(true);
});

test('an agent is hinted at only when the repository holds settings of exactly one', () => {
  expect(detect({ 'CLAUDE.md': '', '.claude/settings.json': '{}' }).agentHint).toBe('claude');
  expect(detect({ 'CLAUDE.md': '', 'GEMINI.md': '' }).agentHint).toBeNull();
  expect(detect({ 'AGENTS.md': '' }).agentHint).toBeNull();
});

test('a proposal holds the defaults as they are, and no agent that nobody chose', () => {
  const text = proposeConfig(detect({ 'CLAUDE.md': '' }));
  const { steps, attempts, usd, usdPerAttempt, wall, deadline } = defaultLimits;
  expect(parseConfig(text, 'pdlc.yaml')).toEqual({ ok: true, file: { limits: { steps, attempts, usd, usdPerAttempt, wall, deadline } } });
  expect(text).toContain('# agent: { command: [claude, -p,');
});

test('commands that YAML would read as something else survive the proposal', () => {
  const checks = { unit: 'a: b # c', lint: 'true', coverage: '"x" && \'y\'', e2e: '@run {x}' };
  const proposal = parseConfig(
    proposeConfig({ packageManager: null, runner: null, setup: '* -x', checks, agentHint: null, evidence: ['a\nagent: x', 'b\u2028c'] }),
    'pdlc.yaml',
  );
  expect(proposal).toMatchObject({
    ok: true,
    file: {
      setup: { run: '* -x' },
      checks: { unit: { run: checks.unit }, lint: { run: 'true' }, coverage: { run: checks.coverage }, e2e: { run: checks.e2e } },
    },
  });
});
