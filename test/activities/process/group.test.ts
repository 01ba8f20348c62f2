// Guarantees of control groups, where this machine lets us make them: nothing in one escapes, no other group is touched, and none is left.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { containment, escapes } from '../../../activities/process/containment.js';
import { filesOf } from '../../../activities/process/control-dir.js';
import { endGroup, groupOf, makeGroup } from '../../../activities/process/group.js';
import { attachOrStart } from '../../../activities/process/launch.js';
import { sweep } from '../../../activities/process/sweep.js';
import { begin, freshFolder, freshToken, run, shell, until } from './attempts.js';

const found = containment();
const inGroup = test.runIf(found === 'cgroup');

inGroup('what forks into new sessions faster than it can be looked for, without any mark, does not escape', async () => {
  const wanted = shell('until [ -e born ]; do env -i /usr/bin/setsid /bin/sh ./comet & sleep 0.05; done');
  writeFileSync(join(wanted.cwd, 'comet'), 'ulimit -S -w unlimited || ulimit -S -x unlimited; : > born; setsid sh ./comet & exit');
  expect(await run(wanted)).toEqual({ kind: 'exited', exitCode: 0 });
  expect(await sweep(wanted.token)).toMatchObject({ clean: true });
  rmSync(join(wanted.cwd, 'born'), { force: true });
  await sleep(100);
  expect(existsSync(join(wanted.cwd, 'born'))).toBe(false);
});

inGroup('a group within the group goes too, and nothing is left of either', async () => {
  const wanted = shell('mkdir "$GROUP/own" && (echo 0 > "$GROUP/own/cgroup.procs"; setsid sleep 600 &) && touch ready; sleep 600');
  const group = groupOf(wanted.token) ?? '';
  const handle = await begin({ ...wanted, env: { ...wanted.env, GROUP: group } });
  expect(handle.group).toBe(group);
  await until(() => existsSync(join(wanted.cwd, 'ready')));
  expect(await sweep(wanted.token, handle)).toMatchObject({ clean: true });
  expect(existsSync(group)).toBe(false);
});

test('an attempt runs all the same where no group can be made', async () => {
  const wanted = shell('exit 4');
  const { dir, token, argv, cwd } = wanted;
  const group = join(freshFolder(), 'no such parent', groupOf(token)?.split('/').at(-1) ?? 'pdlc-0');
  mkdirSync(dir);
  for (const name of ['prompt', 'out', 'err']) writeFileSync(join(dir, name), '');
  writeFileSync(filesOf(dir).spec, JSON.stringify({ token, argv, cwd, ...(groupOf(token) && { group }) }));
  expect(await run(wanted)).toEqual({ kind: 'exited', exitCode: 4 });
  expect([makeGroup(group), endGroup(group)]).toEqual([false, true]);
});

test('a recorded group that is not named by the token is a conflict, and is not ended', async () => {
  const wanted = shell('touch ran');
  const { dir, argv, cwd, token } = wanted;
  mkdirSync(dir);
  const group = groupOf(freshToken()) ?? '/pdlc-0';
  writeFileSync(filesOf(dir).spec, JSON.stringify({ token, argv, cwd, group }));
  await expect(attachOrStart(wanted)).rejects.toMatchObject({ kind: 'control_conflict' });
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});

test('what is promised was tried, and the trial leaves no group', () => {
  expect(escapes[found]).not.toBe('');
  expect(containment()).toBe(found);
});
