// Owns what the manifests of other languages, a Makefile, and an existing project's test-commands.yml give away. Pure over `ProjectFiles`; never guesses.
import type { Clues, ProjectFiles } from './project-files.js';
import { parseTestCommands, testCommandsPath } from './test-commands.js';

/** Looks for one kind of project; null when there is no sign of it. */
export type Look = (files: ProjectFiles) => Clues | null;

/** An existing project's own list of checks, which goes before everything else. */
export const testCommandsClues: Look = (files) => {
  const text = files.text(testCommandsPath);
  if (text === null) return null;
  const parsed = parseTestCommands(text, testCommandsPath);
  if (!parsed.ok) return clues({ evidence: parsed.problems.map(({ message }) => message) });
  const checks = Object.fromEntries(Object.entries(parsed.file.checks ?? {}).map(([name, { run }]) => [name, run]));
  return clues({ checks, evidence: [`${testCommandsPath} names ${Object.keys(checks).join(', ') || 'no command'}`] });
};

/** Python: the tool by its lockfile, pytest and ruff where a file mentions them. */
export const pythonClues: Look = (files) => {
  const manifests = ['pyproject.toml', 'requirements.txt', 'requirements-dev.txt', 'setup.py', 'setup.cfg', 'tox.ini', 'Pipfile'].filter(files.has);
  if (manifests.length === 0) return null;
  const text = manifests.map((name) => files.text(name) ?? '').join('\n');
  const tool = pythonTools.find(({ sign }) => files.has(sign)) ?? noPythonTool;
  const hasPytest = files.has('pytest.ini') || files.has('conftest.py') || /\bpytest\b/.test(text);
  const hasRuff = files.has('ruff.toml') || files.has('.ruff.toml') || /\[tool\.ruff/.test(text);
  const dev = tool.name === 'pip' && files.has('requirements-dev.txt') ? ' -r requirements-dev.txt' : '';
  return clues({
    packageManager: tool.name,
    runner: hasPytest ? 'pytest' : null,
    setup: tool.setup && `${tool.setup}${dev}`,
    checks: { ...(hasPytest ? { unit: `${tool.run} pytest` } : {}), ...(hasRuff ? { lint: `${tool.run} ruff check .` } : {}) },
    evidence: [
      `${manifests.join(', ')} found${tool.name ? `, ${tool.sign} belongs to ${tool.name}` : ''}`,
      ...(hasPytest ? ['pytest is mentioned'] : []),
      ...(hasRuff ? ['ruff is configured'] : []),
    ],
  });
};

const pythonTools = [
  { name: 'uv', sign: 'uv.lock', setup: 'uv sync --locked', run: 'uv run' },
  { name: 'poetry', sign: 'poetry.lock', setup: 'poetry install', run: 'poetry run' },
  { name: 'pip', sign: 'requirements.txt', setup: 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt', run: '.venv/bin/python -m' },
] as const;
const noPythonTool = { name: null, sign: '', setup: null, run: 'python3 -m' } as const;

/** Go modules. */
export const goClues: Look = (files) => {
  if (!files.has('go.mod')) return null;
  const lint = ['.golangci.yml', '.golangci.yaml'].find(files.has);
  const checks = { unit: 'go test ./...', ...(lint ? { lint: 'golangci-lint run' } : {}) };
  return clues({ packageManager: 'go', runner: 'go test', setup: 'go mod download', checks, evidence: ['go.mod found', ...(lint ? [`${lint} found`] : [])] });
};

/** Cargo packages. */
export const rustClues: Look = (files) => {
  if (!files.has('Cargo.toml')) return null;
  const setup = files.has('Cargo.lock') ? 'cargo fetch --locked' : 'cargo fetch';
  return clues({ packageManager: 'cargo', runner: 'cargo test', setup, checks: { unit: 'cargo test' }, evidence: ['Cargo.toml found'] });
};

/** Maven and Gradle, by their wrapper where there is one; both fetch what they need by themselves. */
export const javaClues: Look = (files) => {
  if (files.has('pom.xml')) {
    const program = files.has('mvnw') ? './mvnw' : 'mvn';
    return clues({ packageManager: 'maven', runner: 'maven', checks: { unit: `${program} -B test` }, evidence: ['pom.xml found'] });
  }
  const build = ['build.gradle', 'build.gradle.kts'].find(files.has);
  if (!build) return null;
  const program = files.has('gradlew') ? './gradlew' : 'gradle';
  return clues({ packageManager: 'gradle', runner: 'gradle', checks: { unit: `${program} test` }, evidence: [`${build} found`] });
};

/** Composer packages: a test script, else phpunit where it is configured. */
export const phpClues: Look = (files) => {
  const text = files.text('composer.json');
  if (text === null) return null;
  const config = ['phpunit.xml', 'phpunit.xml.dist'].find(files.has);
  const hasScript = /"scripts"\s*:\s*\{[^}]*"test"\s*:/.test(text);
  const unit = hasScript ? 'composer test' : config && 'vendor/bin/phpunit';
  const evidence = ['composer.json found', ...(hasScript ? ['composer.json has the script "test"'] : config ? [`${config} found`] : [])];
  return clues({
    packageManager: 'composer',
    runner: config ? 'phpunit' : null,
    setup: 'composer install --no-interaction',
    checks: unit ? { unit } : {},
    evidence,
  });
};

/** Bundler projects with rspec or rubocop. */
export const rubyClues: Look = (files) => {
  const text = files.text('Gemfile');
  if (text === null) return null;
  const hasRspec = files.has('.rspec') || /\brspec\b/.test(text);
  const hasRubocop = files.has('.rubocop.yml');
  const checks = { ...(hasRspec ? { unit: 'bundle exec rspec' } : {}), ...(hasRubocop ? { lint: 'bundle exec rubocop' } : {}) };
  const evidence = ['Gemfile found', ...(hasRspec ? ['rspec is mentioned'] : []), ...(hasRubocop ? ['.rubocop.yml found'] : [])];
  return clues({ packageManager: 'bundler', runner: hasRspec ? 'rspec' : null, setup: 'bundle install', checks, evidence });
};

/** Targets of a Makefile that are called like checks. */
export const makeClues: Look = (files) => {
  const name = ['GNUmakefile', 'makefile', 'Makefile'].find(files.has);
  const text = name ? files.text(name) : null;
  if (!name || text === null) return null;
  const targets = { unit: 'test', coverage: 'coverage', lint: 'lint', e2e: 'e2e' };
  const found = Object.entries(targets).filter(([, target]) => new RegExp(`^(?:[\\w.-]+[ \\t]+)*${target}(?:[ \\t]+[\\w.-]+)*[ \\t]*:(?!=)`, 'm').test(text));
  if (found.length === 0) return null;
  const checks = Object.fromEntries(found.map(([check, target]) => [check, `make ${target}`]));
  return clues({ checks, evidence: found.map(([, target]) => `${name} has the target "${target}"`) });
};

function clues(known: Partial<Clues>): Clues {
  return { packageManager: null, runner: null, setup: null, checks: {}, evidence: [], ...known };
}
