// Guarantees of a disk that is full or read-only: it is told by its facts, and what a program does there meanwhile is evidence of nothing.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runAgent } from '../../../activities/agents/run.js';
import { diskProblem } from '../../../activities/host/disk.js';
import { type CommandEnd, runCommand } from '../../../activities/oracle/command.js';
import { buildRoom } from '../../../activities/oracle/room.js';
import { cleanEnv, tempDir } from '../../helpers/temp.js';
import { freshDir } from '../git/scene.js';
import { actOf, candidateOn, command, configOf, counter, judgeAs, makeRun, redFiles, withPlace } from '../oracle/run.js';
import { freshToken } from '../process/attempts.js';

const whole = { blocks: 1_000, bavail: 900, bfree: 900, bsize: 4_096, files: 100, ffree: 90 };
/** What the disk says of itself; it is full as soon as the file `fills` exists. */
const disk = vi.hoisted(() => ({ facts: {}, code: null as string | null, fills: '' }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const refused = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
  return {
    ...real,
    statfs: async () => ({ ...disk.facts, ...(disk.fills && existsSync(disk.fills) ? { bavail: 0, bfree: 0 } : {}) }),
    access: (path: string, mode?: number) => (disk.code && mode !== undefined ? refused(disk.code) : real.access(path, mode)),
  };
});

disk.facts = whole;
afterEach(() => {
  Object.assign(disk, { facts: whole, code: null, fills: '' });
});

test.each<[string, ...[object, string | null, RegExp | null]]>([
  ['has room', whole, null, null],
  ['has less than a MiB', { ...whole, bavail: 200, bfree: 200 }, null, /no space left/],
  ['has no file left', { ...whole, ffree: 3 }, null, /no more files possible/],
  ['counts nothing', { ...whole, blocks: 0, bavail: 0, bfree: 0, files: 0, ffree: 0 }, null, null],
  ['is read-only', whole, 'EROFS', /a read-only file system/],
  ['cannot be read', whole, 'EIO', /cannot be read/],
  ['is of somebody else', whole, 'EACCES', null],
])('a disk that %s', async (_, ...[facts, code, expected]) => {
  Object.assign(disk, { facts, code });
  const problem = await diskProblem('/some/where');
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
});

/** A file that a script makes to fill the disk, and a person removes. */
function filler(): string {
  disk.fills = join(freshDir('disk'), 'filler');
  return disk.fills;
}

describe('a check that ran on a full disk', () => {
  const run = async (script: string, dir: string): Promise<CommandEnd> => {
    const { host } = await makeRun();
    return runCommand(host, { command: command(script), dir, token: freshToken(), cwd: dirname(dir), env: cleanEnv(), label: 'check unit' }, actOf());
  };

  test.each([0, 1])('counts neither as green nor as red, and runs again: exit %i', async (code) => {
    const runs = counter();
    const dir = join(freshDir('attempts'), 'check');
    const script = `${runs.run}; [ -e '${filler()}.once' ] || : >'${disk.fills}'; : >'${disk.fills}.once'; exit ${code}`;
    await expect(run(script, dir)).rejects.toMatchObject({ kind: 'disk_failed', message: expect.stringContaining('no space left') });
    await expect(run(script, dir)).rejects.toMatchObject({ kind: 'disk_failed' });
    expect([runs.count(), readdirSync(dirname(dir)).filter((name) => name.startsWith('check.void-')).length]).toEqual([1, 1]);
    disk.fills = '';
    expect((await run(script, dir)).exit).toEqual({ kind: 'exited', exitCode: code });
    expect(runs.count()).toBe(2);
  });
});

test('no room is lost to another run between two tries: the repeat sets up its own', async () => {
  const runs = counter();
  const setup = command(`${runs.run}; [ -e '${filler()}.once' ] || : >'${disk.fills}'; : >'${disk.fills}.once'; echo 1 >installed`);
  const [run, act] = [await makeRun({ config: configOf({ setup }) }), actOf()];
  const { commit } = candidateOn(run, run.base, redFiles);
  const build = () => withPlace(run, (place) => buildRoom(place, { commit, part: 'candidate' }, setup), act);
  await expect(build()).rejects.toMatchObject({ kind: 'disk_failed' });
  disk.fills = '';
  // Meanwhile somebody else judges in the same slot, on other files.
  await withPlace({ ...run, paths: { ...run.paths, dir: `${run.paths.dir} other` } }, (place) =>
    buildRoom(place, { commit: run.base, part: 'candidate' }, null),
  );
  await build();
  await withPlace(run, async ({ slot }) => {
    expect([existsSync(join(slot.room, 'test/twice.test.sh')), existsSync(join(slot.room, 'installed')), runs.count()]).toEqual([true, true, 2]);
  });
});

test('an evaluator that ran on a full disk is asked again', async () => {
  const evaluator = `cat >/dev/null; [ -e '${filler()}.once' ] || { : >'${disk.fills}'; : >'${disk.fills}.once'; exit 1; }; echo '{"type":"result","card":{"commit":"'$PDLC_COMMIT'","summary":"ok","findings":[]}}'`;
  const run = await makeRun({ config: configOf({ evaluator }) });
  const [candidate, act] = [candidateOn(run, run.base, {}), actOf()];
  await expect(judgeAs('review', run, { candidate, act })).rejects.toMatchObject({ kind: 'disk_failed' });
  disk.fills = '';
  expect(await judgeAs('review', run, { candidate, act })).toMatchObject({ kind: 'pass' });
});

describe('an agent on a full disk', () => {
  const start = async (script: string) => {
    const { host } = await makeRun();
    const dir = join(tempDir('agent'), 'control');
    const request = {
      dir,
      token: freshToken(),
      cwd: dirname(dir),
      argv: ['/bin/sh', '-c', script],
      env: cleanEnv(),
      prompt: '',
      limits: { wall: 20_000, silence: 20_000 },
    };
    return { dir, end: runAgent(host, request, actOf()) };
  };

  test('that fails was lost, which uses up no attempt, and says why; one that finishes is judged', async () => {
    const { end } = await start(`: >'${filler()}'; exit 1`);
    expect(await end).toMatchObject({ outcome: { kind: 'lost', lastWords: expect.stringContaining('no space left') } });
    disk.fills = '';
    const { end: other } = await start(`: >'${filler()}'`);
    expect(await other).toMatchObject({ outcome: { kind: 'finished' } });
  });

  test('is not started', async () => {
    writeFileSync(filler(), '');
    const { dir, end } = await start('exit 0');
    await expect(end).rejects.toMatchObject({ kind: 'disk_failed' });
    expect(existsSync(dir)).toBe(false);
  });
});
