// Owns how the tests run: real processes in three forks (they wait more than they work), stripped of credentials, with a check for leftovers after the run.
// Two groups: `tests` is what npm test runs; `fire` holds the long ones that break processes, disks, clocks and builds, and has a gate of its own.
import { defineConfig } from 'vitest/config';

const fire = [
  'test/e2e/{crash,damage,json,leave,upgrade}.test.ts',
  'test/workflows/{clock,coverage,replay}.test.ts',
  'test/activities/faults.test.ts',
  'test/activities/git/capture-kill.test.ts',
];
const nowhere = ['**/node_modules/**', '**/dist/**'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/global-setup.ts'],
    projects: [
      { extends: true, test: { name: 'tests', include: ['test/**/*.test.ts'], exclude: [...nowhere, ...fire] } },
      { extends: true, test: { name: 'fire', include: fire, exclude: nowhere } },
    ],
  },
});
