// Guarantees of the supervisor script under every POSIX shell found here: arguments, input, output, statuses, signals.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOf, readResult, readStartRecord, type StartRecord, writeIntent } from '../../../activities/process/control-dir.js';
import { isAlive, readIdentity } from '../../../activities/process/identity.js';
import type { StartRequest } from '../../../activities/process/launch.js';
import { look, supervisorOf } from '../../../activities/process/look.js';
import { lockLimitOf } from '../../../activities/process/mark.js';
import { hasProc } from '../../../activities/process/proc.js';
import { pidIn, readText, request, shell, until } from './attempts.js';

const text = readFileSync(new URL('../../../activities/process/supervisor.sh', import.meta.url), 'utf8');
const shells: [string, ...string[]][] = [['/bin/sh'], ['dash'], ['bash'], ['bash', '--posix'], ['busybox', 'sh']];

function isFound([command]: [string, ...string[]]): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function fileOf([command]: [string, ...string[]]): string {
  const folders = command.startsWith('/') ? [] : (process.env.PATH?.split(':') ?? []);
  return folders.map((folder) => join(folder, command)).find((file) => existsSync(file)) ?? command;
}

function superviseBy([command, ...options]: [string, ...string[]], { dir, cwd, argv, env, token }: StartRequest) {
  const args = [...options, '-c', text, 'pdlc-supervisor', dir, cwd, lockLimitOf(token), '', ...argv];
  return spawn(fileOf([command]), args, { env: { ...env, PDLC_MARK: token }, detached: true, stdio: 'ignore' });
}

describe.each(shells.map((words) => ({ name: words.join(' '), words })))('under $name', ({ words }) => {
  const found = test.runIf(isFound(words));

  const supervise = (wanted: StartRequest) => superviseBy(words, wanted);

  async function statusOf(wanted: StartRequest): Promise<number | null> {
    await writeIntent(wanted.dir, wanted, wanted.prompt);
    await once(supervise(wanted), 'exit');
    return readResult(wanted.dir);
  }

  async function begun(wanted: StartRequest): Promise<StartRecord> {
    await writeIntent(wanted.dir, wanted, wanted.prompt);
    supervise(wanted);
    return until(async () => {
      const record = await readStartRecord(wanted.dir);
      return record !== 'torn' && record;
    });
  }

  found('arguments with spaces, quotes, newlines, globs and options arrive unchanged', async () => {
    const args = ['a b', `"'`, 'line\nbreak', '*', '$HOME `id`', '-n', '', 'é\\'];
    const wanted = request([process.execPath, '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...args]);
    expect(await statusOf(wanted)).toBe(0);
    expect(JSON.parse(readText(filesOf(wanted.dir).out))).toEqual(args);
  });

  found('a prompt of 200 KB arrives byte for byte', async () => {
    const prompt = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));
    const wanted = shell('cat', { prompt });
    expect(await statusOf(wanted)).toBe(0);
    expect(readFileSync(filesOf(wanted.dir).out).equals(prompt)).toBe(true);
  });

  found('stdout and stderr are kept apart, and the working directory has spaces and accents', async () => {
    const wanted = shell('pwd; echo oops >&2');
    expect(await statusOf(wanted)).toBe(0);
    expect([readText(filesOf(wanted.dir).out), readText(filesOf(wanted.dir).err)]).toEqual([`${wanted.cwd}\n`, 'oops\n']);
  });

  found('a command that is not found is 127, one that cannot be executed 126, a missing working directory 126', async () => {
    expect(await statusOf(request(['pdlc-no-such-command']))).toBe(127);
    const plain = request(['/etc/passwd']);
    expect(await statusOf(plain)).toBe(126);
    const homeless = shell('touch ran');
    homeless.cwd = join(homeless.cwd, 'gone');
    expect(await statusOf(homeless)).toBe(126);
    expect(readText(filesOf(homeless.dir).err)).toBe(`pdlc: the working directory is gone: ${homeless.cwd}\n`);
  });

  found.each([0, 1, 99, 124, 255])('exit code %i is recorded as it is', async (code) => {
    expect(await statusOf(shell(`exit ${code}`))).toBe(code);
  });

  found('death by a signal is recorded as 128 and the signal', async () => {
    expect(await statusOf(shell('kill -KILL $$'))).toBe(137);
    expect(await statusOf(shell('kill -INT $$'))).toBe(130);
  });

  found('the record names the process of the command itself, and was there before its first instruction', async () => {
    const wanted = request(['/bin/cat', '']);
    wanted.argv[1] = filesOf(wanted.dir).started;
    await statusOf(wanted);
    expect(readText(filesOf(wanted.dir).out)).toBe(readText(filesOf(wanted.dir).started));
    const waiting = shell('echo $$ > pid; exec sleep 600');
    const started = await begun(waiting);
    expect(await pidIn(join(waiting.cwd, 'pid'))).toBe(started.pid);
    expect(readIdentity(started.pid)).toEqual({ pid: started.pid, startTime: started.startTime, bootId: started.bootId });
    expect(isAlive(supervisorOf(started))).toBe(true);
  });

  found('it outlives HUP, INT, QUIT and TERM to its whole group and still writes the status', async () => {
    const wanted = shell(`trap 'exit 5' TERM; trap '' HUP INT QUIT; touch ready; while :; do sleep 0.02; done`);
    const started = await begun(wanted);
    await until(() => existsSync(join(wanted.cwd, 'ready')));
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.kill(-started.supervisor.pid, signal);
    await until(async () => (await look(wanted.dir, started)).state !== 'running');
    expect(await readResult(wanted.dir)).toBe(5);
  });

  found('a second supervisor in the same directory starts nothing and writes nothing', async () => {
    const wanted = shell('echo $$ >> starts; until [ -e go ]; do sleep 0.02; done; exit 4');
    const started = await begun(wanted);
    await once(supervise(wanted), 'exit');
    expect(await readResult(wanted.dir)).toBeNull();
    const both = shell('echo $$ >> starts; sleep 0.2');
    await writeIntent(both.dir, both, '');
    await Promise.all(Array.from({ length: 6 }, () => once(supervise(both), 'exit')));
    expect(readText(join(both.cwd, 'starts')).trim().split('\n')).toHaveLength(1);
    expect(await readResult(both.dir)).toBe(0);
    execFileSync('touch', [join(wanted.cwd, 'go')]);
    await until(async () => (await look(wanted.dir, started)).state === 'finished');
  });

  // bash by itself is larger; where it is /bin/sh, so is every supervisor.
  const isSmall = hasProc && /dash|busybox/.test(realpathSync(isFound(words) ? fileOf(words) : '/'));
  if (isSmall)
    test('a supervisor holds at most 2 MB', async () => {
      const { supervisor } = await begun(request(['/bin/sleep', '600']));
      const status = readText(`/proc/${supervisor.pid}/status`);
      expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThanOrEqual(2048);
    });

  found('it needs neither a PATH nor a prepared result record', async () => {
    const wanted = request(['/bin/sh', '-c', 'exit 9'], { env: { PATH: '/nowhere' } });
    await writeIntent(wanted.dir, wanted, '');
    rmSync(filesOf(wanted.dir).resultNext);
    await once(supervise(wanted), 'exit');
    expect(await readResult(wanted.dir)).toBe(9);
  });
});
