// Owns the published tables of paths that decide pass or fail: tests, deciding configuration, dependency manifests and lockfiles. Globs, matched case-sensitively.
import picomatch from 'picomatch';

/** Paths that are tests or what tests rest on: fixtures, snapshots, helpers, setup. */
const testPaths = [
  '**/*.{test,spec}.*',
  '**/*_test.*',
  '**/*_spec.*',
  '**/test_*.py',
  '**/{conftest,tests}.py',
  '**/*.cy.*',
  '**/*{Test,Tests,Spec,IT}.{java,kt,scala,groovy,cs,php,swift}',
  '**/{test,tests,Tests,spec,specs,e2e,cypress,__tests__,__mocks__,__snapshots__,__fixtures__,fixtures,testdata}/**',
  '**/{androidTest,integrationTest,testFixtures,*.Test,*.Tests,*.{test,spec}.*-snapshots}/**',
  '**/*.snap',
] as const;

/** Configuration that a runner, linter, type checker, build, CI or these checks obey; it may neither change nor appear. */
const decidingPaths = [
  'pdlc.yaml',
  'docs/00_standards/test-commands.yml',
  '**/{vitest,vite,jest,rstest,rolldown,tsdown,xo,next,svelte,mocha,karma,playwright,cypress,ava,nyc,c8,babel,rollup,rspack,esbuild,webpack,swc,eslint,prettier,biome,stylelint,tsup}.config.*',
  '**/{karma,wdio,protractor}.conf.*',
  '**/vitest.{workspace,setup}.*',
  '**/jest.setup.*',
  '**/.{mocharc,nycrc,c8rc,babelrc,swcrc,eslintrc,prettierrc,stylelintrc,taprc,jshintrc,oxlintrc}{,.*}',
  '**/.{eslintignore,prettierignore,npmrc,yarnrc,yarnrc.yml,pnpmfile.cjs,env,env.local,env.test,env.test.local,envrc,nvmrc,node-version,tool-versions,python-version}',
  '**/{biome,deno,bunfig,angular,nx,turbo,knip,lerna,project,jsconfig,pyrightconfig,global}.{json,jsonc,toml}',
  '**/{gulpfile,Gruntfile}.{js,cjs,mjs,ts}',
  '**/tsconfig*.json',
  '**/{pytest,.pytest,tox,hatch,pyrefly,ty,.coveragerc,mise,.mise}.{ini,toml}',
  '**/{pylintrc,.isort.cfg,.credo.exs,analysis_options.yaml,.swiftlint.yml,.rubocop.yml,.ignore,.env.ci}',
  '**/{phpstan.neon,phpcs.xml,psalm.xml}{,.dist}',
  '**/setup.cfg',
  '**/{.coveragerc,.flake8,.pylintrc,ruff.toml,.ruff.toml,mypy.ini,.mypy.ini,noxfile.py,sitecustomize.py,usercustomize.py}',
  '**/*.pth',
  '**/{.golangci.yml,.golangci.yaml,.golangci.toml,.golangci.json,go.work}',
  '**/{clippy.toml,.clippy.toml,rustfmt.toml,.rustfmt.toml,.config/nextest.toml,rust-toolchain,rust-toolchain.toml,build.rs}',
  '**/.cargo/config{,.toml}',
  '**/{Makefile,GNUmakefile,makefile,*.mk,justfile,Justfile,.justfile,Rakefile,.rspec}',
  '**/{Taskfile,taskfile}{,.dist}.{yml,yaml}',
  '**/{CMakeLists.txt,CMakePresets.json,meson.build,BUILD.bazel,.bazelrc}',
  '**/{gradlew,gradlew.bat,mvnw,mvnw.cmd,gradle.properties}',
  '**/{.mvn,gradle/wrapper}/**',
  '**/Directory.{Build,Packages}.{props,targets}',
  '**/{*.runsettings,*.sln,nuget.config,gradle/libs.versions.toml}',
  '**/phpunit.xml{,.dist}',
  '.github/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  '.husky/**',
  '**/{azure-pipelines.yml,Jenkinsfile,.travis.yml}',
] as const;

/** Manifests and lockfiles that say which code of others runs. */
const dependencyPaths = [
  '**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock}',
  '**/{requirements*.txt,pyproject.toml,poetry.lock,uv.lock,Pipfile,Pipfile.lock,setup.py}',
  '**/{pnpm-workspace.yaml,.pnp.*}',
  '**/.yarn/{patches,plugins,releases,sdks}/**',
  '**/{go.mod,go.sum,Cargo.toml,Cargo.lock,Gemfile,Gemfile.lock,composer.json,composer.lock}',
  '**/{pom.xml,build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,gradle.lockfile,build.sbt}',
  '**/{*.csproj,*.fsproj,packages.lock.json,mix.exs,mix.lock,Package.swift,Package.resolved,pubspec.yaml,pubspec.lock}',
] as const;

/** Manifests that also hold settings which checks obey, in formats that are not read here: a change of one is always shown to a person. */
const mixedPaths = ['**/{pyproject.toml,setup.py,Cargo.toml,pom.xml,build.gradle,build.gradle.kts,build.sbt,mix.exs,composer.json,*.csproj,*.fsproj}'] as const;

/** The subset of dependency files that pin exact versions; setup is repeated only when one of these changes. */
const lockfilePaths = [
  '**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock}',
  '**/{requirements*.txt,poetry.lock,uv.lock,Pipfile.lock,go.sum,Cargo.lock,Gemfile.lock,composer.lock,gradle.lockfile,packages.lock.json,mix.lock,Package.resolved,pubspec.lock}',
] as const;

const matcher = (globs: readonly string[]) => picomatch([...globs], { dot: true });
const matchesTest = matcher(testPaths);
const matchesDeciding = matcher(decidingPaths);
const matchesDependency = matcher(dependencyPaths);

/** Says for any path (relative, forward slashes) whether it is a test path, by the table or by the user's `seal` globs. */
export function testPathMatcher(seal: readonly string[]): (path: string) => boolean {
  const matchesSeal = matcher(seal);
  return (path) => matchesTest(path) || (seal.length > 0 && matchesSeal(path));
}

/** Whether a path is deciding configuration. `package.json` is judged by its contents, elsewhere. */
export const isDecidingPath = (path: string): boolean => matchesDeciding(path);
/** Whether a path is a dependency manifest or lockfile. */
export const isDependencyPath = (path: string): boolean => matchesDependency(path);
/** Whether a manifest may also hold settings that decide. */
export const isMixedManifest: (path: string) => boolean = matcher(mixedPaths);
/** Whether a path is a lockfile. */
export const isLockfile: (path: string) => boolean = matcher(lockfilePaths);
