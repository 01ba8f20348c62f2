// The command line before anything is done: what cannot be meant is refused with 64, the usage and the nearest right spelling.
import { describe, expect, test } from 'vitest';
import { createGit } from '../../activities/git/git.js';
import type { Context } from '../../cli/context.js';
import { runProgram } from '../../cli/program.js';

type Said = { code: number; out: string; err: string };

async function say(...argv: string[]): Promise<Said> {
  const lines: { out: string[]; err: string[] } = { out: [], err: [] };
  const context: Context = {
    env: {},
    cwd: '/nonexistent',
    home: '/nonexistent',
    git: createGit({ path: process.env.PATH ?? '' }),
    out: (text) => void lines.out.push(text),
    err: (text) => void lines.err.push(text),
    isTerminal: false,
    useColor: false,
    build: () => 'test',
    version: () => '1.2.3',
  };
  const code = await runProgram(argv, context);
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') };
}

describe('a mistake is refused with 64 and its usage', () => {
  test.each<[string, string[], RegExp]>([
    ['unknown command', ['lop-run', 'F1'], /Did you mean loop-run\?[\s\S]*usage: pdlc/],
    ['unknown flag', ['loop-run', 'F1', '--max-step', '3'], /Did you mean --max-steps\?[\s\S]*usage: pdlc loop-run/],
    ['extra word', ['loop-run', 'F1', 'F2'], /too many arguments[\s\S]*usage: pdlc loop-run/],
    ['missing id', ['loop-run'], /missing required argument 'featureId'[\s\S]*usage: pdlc loop-run/],
    ['cap of zero', ['loop-run', 'F1', '--max-steps', '0'], /expected a whole number from 1 to 999, found "0"[\s\S]*usage: pdlc loop-run/],
    ['negative cap', ['loop-run', 'F1', '--max-steps', '-1'], /expected a whole number from 1 to 999, found "-1"/],
    ['cap that is no number', ['loop-run', 'F1', '--max-steps', 'x'], /expected a whole number from 1 to 999, found "x"/],
    ['cap without value', ['loop-run', 'F1', '--max-steps'], /argument missing/],
    ['negative budget', ['loop-run', 'F1', '--max-budget-usd', '-3'], /expected an amount such as 5 or 2.50, found "-3"/],
    ['limit that is no number', ['extend', 'F1', '--steps', 'many'], /expected a number such as 6 or \+1, found "many"/],
    ['duration without unit', ['extend', 'F1', '--wall', '30'], /expected a duration such as 30m or \+10m, found "30"/],
    ['extend of nothing', ['extend', 'F1'], /expected at least one limit, found none/],
    ['half a choice', ['choose', 'F1', 'maybe'], /expected allow or refuse, found "maybe"/],
    ['new without design', ['new'], /required option '--design <file>' not specified/],
  ])('%s', async (_name, argv, message) => {
    const said = await say(...argv);
    expect(said).toMatchObject({ code: 64, out: '' });
    expect(said.err).toMatch(message);
  });

  test.each(['..', 'a/b', '-rf', '.', 'x.lock', 'a..b', '@{', 'naïve', '🙂', 'x'.repeat(300), 'trailing ', 'line\nbreak', "quo'te", '$(id)', ''])(
    'the id %j',
    async (id) => {
      const said = await say('loop-next', '--', id);
      expect(said).toMatchObject({ code: 64, out: '' });
      expect(said.err).toMatch(/feature id .*: .*an id looks like F20261130-101500/s);
    },
  );
});

test('help names every command and the exit codes, and exits 0', async () => {
  const said = await say('--help');
  expect(said).toMatchObject({ code: 0, err: '' });
  for (const name of ['loop-run', 'loop-next', 'status', 'resume', 'cancel', 'doctor', 'demo', '130 detached']) expect(said.out).toContain(name);
});

test('--version prints the version', async () => {
  expect(await say('--version')).toEqual({ code: 0, out: '1.2.3', err: '' });
});

test('help of a command has an example', async () => {
  expect((await say('loop-run', '--help')).out).toContain('pdlc loop-run F20261130-101500 --max-steps 4');
});

test('outside of a repository a command says so and names the way', async () => {
  expect(await say('loop-next', 'F1')).toMatchObject({ code: 64, err: expect.stringMatching(/repository .*: expected a directory, found none/) });
});
