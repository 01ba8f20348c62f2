// Guarantees of one shell command: its end is told as it was, a repeat takes the first result, and a process that vanishes is never a pass.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CommandRequest, runCommand } from '../../../activities/oracle/command.js';
import { detach } from '../../../activities/process/detach.js';
import { cleanEnv } from '../../helpers/temp.js';
import { freshDir, git } from '../git/scene.js';
import { freshToken } from '../process/attempts.js';
import { actOf, command, counter } from './run.js';

const host = { home: '/nowhere', hostId: 'h', git, detach, graceMs: 200 };
const requestOf = (run: string): CommandRequest => {
  const cwd = freshDir('room é');
  return { command: command(run), dir: join(cwd, '../control', String(Math.random())), token: freshToken(), cwd, env: cleanEnv(), label: 'check unit' };
};

test('a command runs in its folder by a plain shell, both outputs are kept, stderr behind', async () => {
  const end = await runCommand(host, requestOf('echo out; echo err >&2; basename "$PWD"; exit 3'), actOf());
  expect(end).toMatchObject({ exit: { kind: 'exited', exitCode: 3 }, tail: expect.stringMatching(/^out\nroom é .*\nerr\n$/), swept: 0 });
});

test('a second call with the same directory takes the first one’s result', async () => {
  const runs = counter();
  const request = requestOf(`${runs.run}; exit 4`);
  const ends = [await runCommand(host, request, actOf()), await runCommand(host, request, actOf())];
  expect([ends.map(({ exit }) => exit), runs.count()]).toEqual([
    [
      { kind: 'exited', exitCode: 4 },
      { kind: 'exited', exitCode: 4 },
    ],
    1,
  ]);
});

test('a command says what it does while it runs', async () => {
  const beats: unknown[] = [];
  await runCommand(host, requestOf('true'), actOf({ beat: (details) => beats.push(details) }));
  expect(beats.every((beat) => JSON.stringify(beat).includes('"doing":"check unit"'))).toBe(true);
});

test('a process that vanishes without a result is started again, and after the third time that is said', async () => {
  const runs = counter();
  // Kills its supervisor and then itself, as a machine out of memory might.
  const vanish = `${runs.run}; kill -KILL $PPID; kill -KILL $$`;
  await expect(runCommand(host, requestOf(vanish), actOf())).rejects.toMatchObject({ kind: 'process_failed', message: expect.stringContaining('check unit') });
  expect(runs.count()).toBe(3);
  const once = join(freshDir('once'), 'gone');
  const end = await runCommand(host, requestOf(`[ -e '${once}' ] || { : > '${once}'; ${vanish}; }`), actOf());
  expect([end.exit, runs.count()]).toEqual([{ kind: 'exited', exitCode: 0 }, 4]);
});

test('a command that is killed runs once more, and only a second kill is its end', async () => {
  const runs = counter();
  const again = await runCommand(host, requestOf(`${runs.run}; [ -e again ] || { : > again; kill -KILL $$; }`), actOf());
  expect([again.exit, runs.count()]).toEqual([{ kind: 'exited', exitCode: 0 }, 2]);
  const request = requestOf(`${runs.run}; kill -KILL $$`);
  const ends = [await runCommand(host, request, actOf()), await runCommand(host, request, actOf())];
  expect([ends.map(({ exit }) => exit), runs.count()]).toEqual([Array(2).fill({ kind: 'signalled', signal: 9 }), 4]);
});
