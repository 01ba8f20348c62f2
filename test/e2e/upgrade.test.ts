// Builds that come and go under a run: a worker of another build is replaced and its agent taken over; an engine that cannot follow a run says so and touches nothing.
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture } from '../helpers/sample.js';
import { tempDir } from '../helpers/temp.js';
import { openSample } from './repository.js';
import { openRig, stackRecord, until } from './support.js';

const root = resolve(import.meta.dirname, '../..');
const done = { code: 0, last: '<<<PDLC done stage=review>>>' };
const oneEach = ['worker implement', 'evaluator review'];

const older = openRig();

test.concurrent('a worker of an older build is replaced by the next command, and its agent is taken over', async () => {
  const command = otherBuild(() => null);
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  const first = older.run(sample.dir, [process.execPath, command, 'loop-run', 'F1'], {});
  await until(() => sample.starts().length === 1);
  const before = stackRecord(older).worker.identity.pid;
  expect(await older.status(sample.dir)).toMatchObject({ state: 'working' });
  expect(stackRecord(older).worker.identity.pid).not.toBe(before);
  expect(existsSync(`/proc/${before}`)).toBe(false);
  sample.open();
  expect(await first).toMatchObject(done);
  expect(sample.starts()).toEqual(oneEach);
});

const astray = openRig();

test.concurrent('a run that this version cannot replay is said to be so, by status and by loop-run, and waits for the version that can', async () => {
  const command = otherBuild((text) => text.replaceAll(`\${at.stage}-\${at.step}-`, `\${at.step}-\${at.stage}-`), 'workflows/bundle.js');
  const sample = openSample({ agent: agentFixture('stubborn'), at: 'implement' });
  expect(await astray.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 2 });
  const starts = sample.starts();
  const why = 'another version of pdlc has moved it (started by pdlc 0.1.0) and this one cannot follow: [TMPRL1100]';
  const other = (...args: string[]) => astray.run(sample.dir, [process.execPath, command, ...args], {});
  await until(async () => (await other('status', 'F1')).stderr.includes(why));
  expect(await other('loop-run', 'F1')).toMatchObject({ code: 4, stderr: expect.stringContaining(why) });
  expect(await astray.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 2 });
  expect(sample.starts()).toEqual(starts);
});

const newer = openRig();

test.concurrent('an engine too old for a run stops before it does anything and says which one wrote it; the newer one goes on with the same agent', async () => {
  const command = otherBuild((text) => text.replace(/(version: ?["'])0\.1\.0(["'], ?format: ?)1/, '$10.2.0$22'));
  const sample = openSample({ agent: agentFixture('slow'), at: 'implement' });
  const first = newer.run(sample.dir, [process.execPath, command, 'loop-run', 'F1'], {});
  await until(() => sample.starts().length === 1);
  const why = 'engine too old: expected a run of format 1 at most (this is pdlc 0.1.0), found format 2, written by pdlc 0.2.0';
  await until(async () => (await newer.pdlc(sample.dir, 'status', 'F1')).stderr.includes(why));
  expect(await newer.pdlc(sample.dir, 'loop-run', 'F1')).toMatchObject({ code: 4, stderr: expect.stringContaining(why) });
  const again = newer.run(sample.dir, [process.execPath, command, 'loop-run', 'F1'], {});
  sample.open();
  expect(await again).toMatchObject(done);
  expect(await first).toMatchObject(done);
  expect(sample.starts()).toEqual(oneEach);
});

/** The command of another build: a copy of this one under another name, with texts changed (`only`: in that file). A change that changes nothing is refused. */
function otherBuild(change: (text: string) => string | null, only?: string): string {
  const dir = tempDir('build');
  const dist = join(dir, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const build = JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8'));
  writeFileSync(join(dist, 'build.json'), JSON.stringify({ ...build, build: build.build.split('').reverse().join('') }));
  const files = only ? [only] : readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  let changes = 0;
  for (const name of files) {
    const text = readFileSync(join(dist, name), 'utf8');
    const changed = change(text);
    if (changed === null || changed === text) continue;
    writeFileSync(join(dist, name), changed);
    changes += 1;
  }
  if (change('') !== null && changes === 0) throw new Error('expected the other build to differ, found nothing to change');
  return join(dist, 'cli', 'main.js');
}
