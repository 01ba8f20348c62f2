// Guarantees of one check: an environment from empty, a home of its own, no process left behind, and only exit 0 is a pass.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environmentFile } from '../../../activities/host/environment.js';
import { runCheck } from '../../../activities/oracle/check.js';
import { buildRoom } from '../../../activities/oracle/room.js';
import { readIdentity } from '../../../activities/process/identity.js';
import type { CheckResult } from '../../../machines/contract/check.js';
import { cleanEnv } from '../../helpers/temp.js';
import { freshDir, put } from '../git/scene.js';
import { command, makeRun, type Run, withPlace } from './run.js';

const shared = makeRun();

async function check(
  script: string,
  { run, part = 'candidate', ...more }: { run?: Run; part?: string; timeout?: number; env?: Record<string, string> } = {},
): Promise<CheckResult> {
  const used = run ?? (await shared);
  return withPlace(used, async (place) => {
    await buildRoom(place, { commit: used.base, part: 'candidate' }, null);
    return runCheck(place, { name: 'unit', part, command: command(script, more) });
  });
}

describe('how a check ends', () => {
  test.each<[string, object]>([
    ['exit 0', { kind: 'passed', tests: null }],
    ['exit 1', { kind: 'failed', exitCode: 1 }],
    ['exit 123', { kind: 'failed', exitCode: 123 }],
    ['exit 124', { kind: 'timed_out' }],
    ['exit 126', { kind: 'not_run', exitCode: 126 }],
    ['exit 127', { kind: 'not_run', exitCode: 127 }],
    ['no-such-program', { kind: 'not_run', exitCode: 127 }],
    ['exit 128', { kind: 'signalled', signal: 0 }],
    ['exit 255', { kind: 'signalled', signal: 127 }],
    ['kill -KILL $$', { kind: 'signalled', signal: 9 }],
    ['echo "2 passed in 0.1s"', { kind: 'passed', tests: 2, tail: '2 passed in 0.1s\n' }],
    ['echo out; echo err >&2; exit 1', { kind: 'failed', tail: 'out\nerr\n' }],
  ])('%s', async (script, expected) => {
    expect(await check(script)).toMatchObject({ name: 'unit', ...expected });
  });

  test('a check that reaches its limit is timed out and gone with everything it started', async () => {
    const file = join(freshDir('pid'), 'pid');
    expect(await check(`sleep 300 & echo $! > '${file}'; wait`, { timeout: 400 })).toMatchObject({ kind: 'timed_out' });
    expect(readIdentity(Number(readFileSync(file, 'utf8')))).toBeNull();
  });

  test('what a passing check leaves running is ended as well', async () => {
    const file = join(freshDir('pid'), 'pid');
    expect(await check(`(trap "" TERM; exec sleep 300) >/dev/null 2>&1 & echo $! > '${file}'`)).toMatchObject({ kind: 'passed' });
    expect(readIdentity(Number(readFileSync(file, 'utf8')))).toBeNull();
  });

  test('a check has an empty stdin and never waits for a person', async () => {
    expect(await check('read -r line || echo "no input"')).toMatchObject({ kind: 'passed', tail: 'no input\n' });
  });

  test('the kept tail is bounded and is the end', async () => {
    const { tail } = await check('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; echo the end');
    expect(tail.length).toBeLessThanOrEqual(8_192);
    expect(tail.endsWith('line 2999\nthe end\n')).toBe(true);
  });

  test('a second part of the same check has a name of its own', async () => {
    expect((await check('true', { part: 'without the new tests' })).name).toBe('unit (without the new tests)');
  });
});

test('the environment of a check is built from empty: no secret of the caller, a home and temp folder of its own', async () => {
  const run = await makeRun();
  const caller: Record<string, string> = {
    ...cleanEnv(),
    HOME: '/home/someone',
    TMPDIR: '/elsewhere',
    XDG_CONFIG_HOME: '/home/someone/.config',
    LANG: 'C.UTF-8',
  };
  put(run.run.files, { [environmentFile]: JSON.stringify({ base: caller, passed: { SECRET_KEY: 'hush' } }) });
  const file = join(freshDir('env'), 'env');
  expect(
    await check(`env > '${file}'; [ -d "$HOME" ] && [ -z "$(ls -A "$HOME")" ] && [ -w "$TMPDIR" ]; touch "$HOME/left"`, { run, env: { OWN: 'yes' } }),
  ).toMatchObject({ kind: 'passed' });
  const text = readFileSync(file, 'utf8');
  const env = Object.fromEntries(text.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  expect(env).toMatchObject({ CI: 'true', OWN: 'yes', GIT_TERMINAL_PROMPT: '0', LANG: 'C.UTF-8', PATH: caller.PATH });
  expect([env.HOME, env.TMPDIR].map((path) => path?.startsWith(run.paths.rooms))).toEqual([true, true]);
  expect(text).not.toMatch(/hush|SECRET_KEY|XDG_CONFIG_HOME|\/home\/someone|\/elsewhere/);
});

test('a check finds nothing in its home that an earlier one left there', async () => {
  const run = await makeRun();
  await check('mkdir -p "$HOME/.cache"; echo green > "$HOME/.cache/verdict"; touch "$TMPDIR/x"', { run });
  expect(await check('[ -z "$(ls -A "$HOME" "$TMPDIR" | grep -v :)" ]', { run })).toMatchObject({ kind: 'passed' });
});
