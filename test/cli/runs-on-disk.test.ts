// What is read of runs from the disk alone: which is the latest, what is wrong with its ledger, and whose tree one stands in.
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runPaths } from '../../activities/host/paths.js';
import { appendEntries } from '../../activities/ledger/append.js';
import { createContext } from '../../cli/context.js';
import { openHere } from '../../cli/feature.js';
import { damageOf, hasRuns, latestLedger } from '../../cli/runs-on-disk.js';
import { emptyReport } from '../../machines/contract/report.js';
import { numbered, started } from '../activities/ledger/entries.js';
import { cleanEnv, tempDir } from '../helpers/temp.js';

const owner = { project: 'p', id: 'F1' };
const runOf = (home: string, runKey: string) => runPaths(home, { project: 'p', featureId: 'F1', runKey });

test('the latest run is the one that began last, also where its folder came out of a backup first', async () => {
  const home = tempDir('home é');
  for (const [runKey, at] of [
    ['newer', '2026-02-02T00:00:00.000Z'],
    ['older', '2026-01-01T00:00:00.000Z'],
  ] as const) {
    const entries = numbered([started]).map((entry) => ({ ...entry, at }));
    await appendEntries({ file: runOf(home, runKey).ledger, entries, runKey });
  }
  expect([hasRuns(home, owner), await latestLedger(home, owner)]).toMatchObject([true, { file: runOf(home, 'newer').ledger, fault: null }]);
});

test('no ledger is a damage only when the run has written one', async () => {
  const home = tempDir('home');
  expect([hasRuns(home, owner), await latestLedger(home, owner)]).toEqual([false, null]);
  const { dir, ledger: file } = runOf(home, 'one');
  mkdirSync(dir, { recursive: true });
  const ledger = await latestLedger(home, owner);
  if (!ledger) throw new Error('expected the run that was just made');
  const says = (state: 'working' | 'paused') => damageOf(ledger, { ...emptyReport, state });
  expect([damageOf(ledger), says('working'), says('paused')]).toEqual([null, null, `${file}: expected a ledger, found no file`]);
  writeFileSync(file, 'x\n');
  expect(damageOf((await latestLedger(home, owner)) ?? ledger)).toContain(`${file}: line 1`);
});

test.each([null, '', '{"kind":"run.sta'])('a kept tree whose ledger says %j is not taken for a repository of its own', async (text) => {
  const home = tempDir('home');
  const { tree, ledger } = runOf(home, 'one');
  mkdirSync(tree, { recursive: true });
  if (text !== null) writeFileSync(ledger, text);
  const context = createContext({ env: cleanEnv({ PDLC_HOME: home }), cwd: tree, stdout: process.stdout, stderr: process.stderr });
  await expect(openHere(context)).rejects.toMatchObject({ name: 'CliError', exitCode: 64, message: expect.stringContaining(ledger) });
});
