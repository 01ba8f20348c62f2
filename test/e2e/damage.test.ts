// Damage to what is kept on the host: it is named, never shown as if it were true, mended byte for byte from the run's history, and costs the run nothing.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { openSample, type Repository } from './repository.js';
import { type Ended, json, openRig, type Rig, stackRecord, until } from './support.js';

const rig = openRig();
/** Two that differ in what can still be read; the others are the matter of unit tests. */
const kinds = ['an old copy', 'nothing left of it'] as const;

test('a damaged ledger is named, comes back byte-equal, and the run goes on to its end with every counter as it was', async () => {
  const sample = await paused(rig);
  const before = await rig.status(sample.dir);
  expect(before).toMatchObject({ state: 'paused', damage: null, stepsUsed: 1 });
  const user = snapshotRepo(sample.dir);
  const ledger = ledgerOf(rig);
  const sound = filesOf(ledger);
  for (const kind of kinds) {
    damage(ledger, kind);
    const { damage: named, next, ...shown } = await rig.status(sample.dir);
    const { damage: _none, next: ways, ...were } = before;
    expect({ kind, shown }).toEqual({ kind, shown: were });
    expect([named, next]).toEqual([expect.stringContaining(ledger), ['pdlc state rebuild F1', ...ways]]);
    expect(await rig.pdlc(sample.dir, 'history', 'F1')).toMatchObject({ code: 1, stderr: expect.stringContaining('pdlc state rebuild F1') });
    const rebuilt = await rig.pdlc(sample.dir, 'state', 'rebuild', 'F1', '--json');
    expect(objectOf(rebuilt)).toMatchObject({ file: ledger, problem: expect.stringContaining('expected') });
    expect({ kind, files: filesOf(ledger) }).toEqual({ kind, files: sound });
  }
  writeFileSync(
    ledger,
    readFileSync(ledger).map((byte, place) => (place === 300 ? byte ^ 1 : byte)),
  );
  const damaged = readFileSync(ledger);
  const ended = await rig.pdlc(sample.dir, 'resume', 'F1', '--json');
  expect(json(ended)).toMatchObject({ state: 'review_done', stepsUsed: 2, notices: expect.arrayContaining([expect.stringContaining('was written again')]) });
  expect(readFileSync(newest(ledger))).toEqual(damaged);
  expect(sample.starts()).toEqual(['worker implement', 'evaluator review']);
  expect(snapshotRepo(sample.dir)).toEqual(user);
  await afterTheEnd(sample, ledger);
});

/** A run that is over is asked about by its ledger alone, so that losing it must not change the answer. */
async function afterTheEnd(sample: Repository, ledger: string): Promise<void> {
  const sound = filesOf(ledger);
  const { damage: none, ...said } = await rig.status(sample.dir);
  expect([none, said.state]).toEqual([null, 'review_done']);
  rmSync(join(ledger, '..'), { recursive: true });
  expect((await rig.pdlc(sample.dir, 'state', 'rebuild', 'F1')).stdout).toContain("written again from the run's history");
  expect(filesOf(ledger)).toEqual(sound);
  expect(await rig.status(sample.dir)).toEqual({ ...said, damage: null });
  truncateSync(ledger, 100);
  forget(rig);
  const refused = await rig.pdlc(sample.dir, 'state', 'rebuild', 'F1');
  expect(refused).toMatchObject({
    code: 69,
    stdout: '',
    stderr: expect.stringMatching(/expected the server to know a run of it, found none.*expected the \d+ entries/),
  });
  expect(await rig.status(sample.dir)).toMatchObject({ state: 'blocked', usage: { usd: null }, damage: expect.stringContaining(ledger) });
  expect(await rig.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 69, stderr: expect.stringContaining('pdlc state rebuild F1') });
}

/** A run that a person has paused after its first stage's work. */
async function paused({ start, pdlc }: Rig): Promise<Repository> {
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  const call = start(sample.dir, 'loop-run', 'F1');
  await until(() => sample.starts().length === 1);
  expect((await pdlc(sample.dir, 'pause', 'F1')).code).toBe(0);
  sample.open();
  expect((await call.ended).code).toBe(2);
  return sample;
}

function damage(ledger: string, kind: (typeof kinds)[number]): void {
  const [first] = readFileSync(ledger, 'utf8').split('\n');
  if (kind === 'an old copy') writeFileSync(ledger, `${first}\n`);
  else for (const file of [ledger, `${ledger}.head`]) rmSync(file);
}

function ledgerOf({ home }: Rig): string {
  const [found] = readdirSync(join(home, 'projects'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/ledger.jsonl'));
  return join(home, 'projects', found ?? '');
}

const filesOf = (ledger: string): string[] => [ledger, `${ledger}.head`].map((file) => readFileSync(file, 'utf8'));

/** The damaged file that was kept last. */
const newest = (ledger: string): string => [2, 1].map((number) => `${ledger}.damaged-${number}`).find((file) => existsSync(file)) ?? '';

function objectOf({ code, stdout, stderr }: Ended): object {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The server comes back with a database that knows nothing. */
function forget(of: Rig): void {
  const { server, worker } = stackRecord(of);
  for (const { identity } of [worker, server]) process.kill(identity.pid, 'SIGKILL');
  const stack = join(of.home, 'stack');
  for (const name of readdirSync(stack).filter((file) => file.includes('.db'))) renameSync(join(stack, name), join(stack, `old ${name}`));
}
