// Guarantees of environments: each is built from empty, keys reach only whom the configuration names, and checks see no home of the user's.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  agentEnvironment,
  checkEnvironment,
  environmentFile,
  readEnvironment,
  takeEnvironment,
  trustedEnvironment,
} from '../../../activities/host/environment.js';
import { tempDir } from '../../helpers/temp.js';
import { put } from '../git/scene.js';

const caller = {
  ...{
    PATH: '/bin',
    HOME: '/home/me',
    USER: 'me',
    LANG: 'C',
    LC_ALL: 'C',
    TZ: 'UTC',
    TMPDIR: '/tmp',
    XDG_CONFIG_HOME: '/home/me/.config',
    HTTPS_PROXY: 'http://proxy',
  },
  ...{
    API_KEY: 'hush',
    OTHER_TOKEN: 'hush too',
    NODE_OPTIONS: '--require x',
    GIT_DIR: '/x',
    LD_PRELOAD: 'x',
    npm_config_registry: 'x',
    JAVA_HOME: '/java',
    UNSET: undefined,
  },
};

test('of the caller’s environment only what everyone needs is taken, and what is passed by name', () => {
  const { base, passed } = takeEnvironment(caller, ['API_KEY', 'NOT_THERE']);
  expect(Object.keys(base).sort()).toEqual(['HOME', 'HTTPS_PROXY', 'JAVA_HOME', 'LANG', 'LC_ALL', 'PATH', 'TMPDIR', 'TZ', 'USER', 'XDG_CONFIG_HOME']);
  expect(passed).toEqual({ API_KEY: 'hush' });
});

test('setup and agents get the base with their own additions, which win', () => {
  const env = trustedEnvironment(takeEnvironment(caller, ['API_KEY']), { LANG: 'de', OWN: 'yes' });
  expect(env).toMatchObject({ HOME: '/home/me', LANG: 'de', OWN: 'yes' });
  expect(env).not.toHaveProperty('API_KEY');
});

test('an agent gets the variables that its own command names, and no other’s; its own win, and what its start adds wins over all', () => {
  const taken = takeEnvironment({ ...caller, OTHER_KEY: 'hidden' }, ['API_KEY', 'OTHER_KEY']);
  const env = agentEnvironment(taken, { command: ['agent'], env: { LANG: 'de', ROLE: 'mine' }, pass: ['API_KEY'] }, { ROLE: 'work' });
  expect(env).toMatchObject({ HOME: '/home/me', API_KEY: 'hush', LANG: 'de', ROLE: 'work' });
  expect(env).not.toHaveProperty('OTHER_KEY');
});

describe('a check', () => {
  const home = tempDir('home');
  mkdirSync(join(home, '.cargo'));
  const at = { home: '/own/home', temp: '/own/temp' };

  test('has a home and temp folder of its own, no configuration of the user and no key', () => {
    const env = checkEnvironment(takeEnvironment({ ...caller, HOME: home }, ['API_KEY']), at, { OWN: 'yes' });
    expect(env).toEqual({
      ...{ PATH: '/bin', USER: 'me', LANG: 'C', LC_ALL: 'C', TZ: 'UTC', HTTPS_PROXY: 'http://proxy', JAVA_HOME: '/java', CARGO_HOME: join(home, '.cargo') },
      ...{ HOME: at.home, TMPDIR: at.temp, CI: 'true', GIT_TERMINAL_PROMPT: '0', OWN: 'yes' },
    });
  });

  test('finds a toolchain where the user’s own variable says', () => {
    expect(checkEnvironment(takeEnvironment({ HOME: home, CARGO_HOME: '/opt/cargo' }, []), at, {})).toMatchObject({ CARGO_HOME: '/opt/cargo' });
    expect(checkEnvironment(takeEnvironment({}, []), at, {})).not.toHaveProperty('CARGO_HOME');
  });
});

describe('the saved environment', () => {
  test('is read back as it was taken', () => {
    const files = tempDir('files');
    const taken = takeEnvironment(caller, ['API_KEY']);
    put(files, { [environmentFile]: JSON.stringify(taken) });
    expect(readEnvironment(files)).toEqual(taken);
  });

  test.each(['', '{', '{}', '{"base":{}}', '{"base":{"A":1},"passed":{}}', '{"base":{},"passed":{},"more":{}}'])(
    'that is damaged belongs to no host: %j',
    (text) => {
      const files = tempDir('files');
      put(files, { [environmentFile]: text });
      expect(() => readEnvironment(files)).toThrowError(expect.objectContaining({ kind: 'wrong_host' }));
      expect(existsSync(join(files, environmentFile))).toBe(true);
    },
  );

  test('that is missing belongs to no host', () => {
    expect(() => readEnvironment(tempDir('files'))).toThrowError(expect.objectContaining({ kind: 'wrong_host' }));
  });
});
