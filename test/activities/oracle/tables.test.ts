// Guarantees of the tables: for the ecosystems in use, what is a test, what decides, what is a dependency, and that everything else stays open.
import { expect, test } from 'vitest';
import { isDecidingPath, isDependencyPath, isLockfile, testPathMatcher } from '../../../activities/oracle/tables.js';

const isTest = testPathMatcher([]);

/** Everything the tables say of a path, in the order in which the gates ask. */
function kindsOf(path: string): string {
  const kinds = [isDecidingPath(path) && 'deciding', isTest(path) && 'test', isDependencyPath(path) && 'dependency'];
  return kinds.filter(Boolean).join(' ') || 'open';
}

const table: Record<string, Record<string, string[]>> = {
  JavaScript: {
    test: [
      'src/a.test.ts',
      'a.spec.mjs',
      'test/helpers/é ü.js',
      'packages/one/test/setup.ts',
      'src/__tests__/a.js',
      'src/__mocks__/fs.js',
      'src/__snapshots__/a.test.ts.snap',
      'e2e/login.ts',
      'cypress/support/commands.ts',
      'src/button.cy.tsx',
      'src/a.test.ts-snapshots/one.png',
      'test/.hidden/x',
      'test/fixtures/p/package.json',
    ],
    deciding: [
      'vitest.config.mts',
      'packages/one/jest.config.js',
      '.mocharc.yml',
      '.mocharc',
      'karma.conf.js',
      '.eslintrc.cjs',
      'eslint.config.mjs',
      '.prettierrc',
      'biome.json',
      'tsconfig.json',
      'packages/one/tsconfig.build.json',
      '.npmrc',
      '.env',
      '.env.test',
      'turbo.json',
      '.github/workflows/ci.yml',
      '.husky/pre-commit',
      'pdlc.yaml',
      'docs/00_standards/test-commands.yml',
    ],
    dependency: ['package-lock.json', 'packages/one/yarn.lock', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'bun.lockb', '.pnp.cjs', '.yarn/releases/yarn-4.cjs'],
    open: [
      'src/index.ts',
      'src/latest.ts',
      'src/contest.js',
      'src/testing.ts',
      'src/spec.ts',
      'src/price-snapshots/a.ts',
      'README.md',
      '.env.example',
      'docs/attest.md',
      'src/config.ts',
      'package.json',
    ],
  },
  Python: {
    test: ['tests/test_a.py', 'test_a.py', 'pkg/a_test.py', 'conftest.py', 'app/conftest.py', 'app/tests.py', 'tests/data/ö 1.json'],
    deciding: ['pytest.ini', 'tox.ini', 'setup.cfg', '.coveragerc', 'ruff.toml', 'mypy.ini', 'noxfile.py', 'sitecustomize.py', 'x.pth', '.python-version'],
    dependency: ['requirements.txt', 'requirements-dev.txt', 'pyproject.toml', 'uv.lock', 'Pipfile', 'setup.py'],
    open: ['pkg/a.py', 'pkg/testing.py', 'pkg/contest_a.py', 'manage.py'],
  },
  'Go and Rust': {
    test: ['a_test.go', 'internal/x/a_test.go', 'internal/x/testdata/in.txt', 'tests/it.rs'],
    deciding: [
      'Makefile',
      'crates/x/.config/nextest.toml',
      'Taskfile.dist.yml',
      'go.work',
      '.golangci.yml',
      'build.rs',
      'clippy.toml',
      'rust-toolchain',
      '.cargo/config.toml',
      'rustfmt.toml',
    ],
    dependency: ['go.mod', 'go.sum', 'crates/x/Cargo.toml', 'Cargo.lock'],
    open: ['main.go', 'src/lib.rs', 'cmd/test.go'],
  },
  'JVM, .NET, Swift': {
    test: [
      'src/test/java/org/x/FooTest.java',
      'src/test/resources/a.xml',
      'app/src/androidTest/kotlin/Helper.kt',
      'src/FooSpec.groovy',
      'src/FooIT.java',
      'Shop.Tests/Helper.cs',
      'Tests/ShopTests/Helper.swift',
    ],
    deciding: [
      'gradlew',
      'mvnw',
      '.mvn/maven.config',
      'gradle/wrapper/gradle-wrapper.jar',
      'gradle.properties',
      'Directory.Build.props',
      'Directory.Packages.props',
      'gradle/libs.versions.toml',
      'Shop.sln',
      'Jenkinsfile',
    ],
    dependency: ['pom.xml', 'app/build.gradle.kts', 'gradle.lockfile', 'build.sbt', 'Shop/Shop.csproj', 'Package.swift'],
    open: ['src/main/java/org/x/Foo.java', 'src/main/java/org/x/Audit.java', 'Shop/Latest.cs', 'src/main/java/org/x/Contest.java'],
  },
  'C, C++ and Bazel': {
    test: ['tests/unit.cc'],
    deciding: ['CMakeLists.txt', 'src/CMakeLists.txt', 'CMakePresets.json', 'meson.build', 'lib/BUILD.bazel', '.bazelrc', 'rules.mk'],
    open: ['src/main.c', 'include/a.h'],
  },
  'Ruby, PHP, Elixir': {
    test: ['spec/models/a_spec.rb', 'spec/spec_helper.rb', 'test/a_test.rb', 'tests/FooTest.php', 'test/a_test.exs'],
    deciding: ['.rspec', 'Rakefile', 'phpunit.xml', 'phpunit.xml.dist', 'phpstan.neon.dist', 'psalm.xml', '.credo.exs', '.rubocop.yml'],
    dependency: ['Gemfile', 'Gemfile.lock', 'composer.json', 'composer.lock', 'mix.exs'],
    open: ['lib/a.rb', 'lib/attest.ex'],
  },
};

const rows = Object.entries(table).flatMap(([ecosystem, kinds]) => Object.entries(kinds).map(([kind, paths]) => ({ ecosystem, kind, paths })));

test.each(rows)('$ecosystem: every one of these is $kind', ({ kind, paths }) => {
  expect(Object.fromEntries(paths.map((path) => [path, kindsOf(path)]))).toEqual(Object.fromEntries(paths.map((path) => [path, kind])));
});

test('configuration inside a test folder decides first and is a test as well', () => {
  expect(kindsOf('test/vitest.config.ts')).toBe('deciding test');
});

test('the seal of a user adds test paths, dot files included, and takes none away', () => {
  const isSealed = testPathMatcher(['checks/**', '*.golden']);
  expect(['checks/.rules/a b.json', 'x.golden', 'src/a.test.ts', 'src/a.ts', 'deep/x.golden'].map(isSealed)).toEqual([true, true, true, false, false]);
});

test('a lockfile pins, a manifest does not', () => {
  expect(['package-lock.json', 'a/requirements.txt', 'go.sum', 'pubspec.lock'].map(isLockfile)).toEqual([true, true, true, true]);
  expect(['package.json', 'pyproject.toml', 'go.mod', 'pubspec.yaml'].map(isLockfile)).toEqual([false, false, false, false]);
});
