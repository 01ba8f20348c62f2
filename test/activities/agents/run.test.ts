// Guarantees of one agent process: every end is told apart, it is started once whatever happens to its watcher, and nothing of it is left when it is judged.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentEnd, type AgentProcess, runAgent } from '../../../activities/agents/run.js';
import type { Act } from '../../../activities/host/act.js';
import { detach } from '../../../activities/process/detach.js';
import { readIdentity } from '../../../activities/process/identity.js';
import { leaveRunning } from '../../../activities/process/watch.js';
import { cleanEnv } from '../../helpers/temp.js';
import { freshDir, git, put } from '../git/scene.js';
import { actOf } from '../oracle/run.js';
import { freshToken, pidIn, readText } from '../process/attempts.js';

const host = { home: '/nowhere', hostId: 'h', git, detach, graceMs: 200 };

function agentOf(script: string, change: Partial<AgentProcess> = {}): AgentProcess {
  const cwd = freshDir('tree é');
  const limits = { wall: 20_000, silence: 20_000 };
  return {
    dir: join(cwd, '../control of it', String(Math.random())),
    token: freshToken(),
    cwd,
    argv: ['/bin/sh', '-c', script],
    env: cleanEnv(),
    prompt: 'do it\n',
    limits,
    ...change,
  };
}
const run = (agent: AgentProcess, act: Act = actOf()): Promise<AgentEnd> => runAgent(host, agent, act);

describe('how an agent ends', () => {
  test.each<[string, object]>([
    ['exit 0', { kind: 'finished' }],
    ['exit 3', { kind: 'failed', exitCode: 3 }],
    ['exit 124', { kind: 'failed', exitCode: 124 }],
    ['echo "no node here"; exit 127', { kind: 'misconfigured', reason: 'exit 127: no node here' }],
    ['exit 126', { kind: 'misconfigured', reason: 'exit 126: the program or its interpreter could not be run' }],
    ['kill -SEGV $$', { kind: 'signalled', signal: 11 }],
  ])('%s', async (script, expected) => {
    expect((await run(agentOf(script))).outcome).toMatchObject({ ...expected, usage: { usd: null, tokens: null } });
  });

  test('one that reaches its wall time is timed out, one that says nothing for too long is silent', async () => {
    const busy = 'while :; do echo x; sleep 0.05; done';
    expect((await run(agentOf(busy, { limits: { wall: 400, silence: 20_000 } }))).outcome.kind).toBe('timed_out');
    expect((await run(agentOf('sleep 60', { limits: { wall: 20_000, silence: 300 } }))).outcome.kind).toBe('silent');
  });

  test('it gets its prompt on stdin, its folder, its environment, and its last words and usage are kept', async () => {
    const agent = agentOf('cat; pwd; echo "$OWN"; printf %s \'{"type":"result","text":" done \\n","usd":0.5}\'', { env: { ...cleanEnv(), OWN: 'yes' } });
    const { outcome, reading } = await run(agent);
    expect(outcome).toMatchObject({ kind: 'finished', usage: { usd: 0.5 }, lastWords: 'done' });
    expect(reading.text).toBe(' done \n');
    expect(readText(join(agent.dir, 'out'))).toMatch(/^do it\n\/.*tree é.*\nyes\n/);
  });

  test('last words are bounded', async () => {
    const { outcome } = await run(agentOf('i=0; while [ $i -lt 2000 ]; do echo "word $i"; i=$((i+1)); done'));
    expect([outcome.lastWords.length, outcome.lastWords.slice(-9)]).toEqual([2_000, 'word 1999']);
  });
});

test('what an agent leaves running is counted and gone', async () => {
  const file = join(freshDir('pid'), 'pid');
  const { outcome, swept } = await run(agentOf(`(trap "" TERM; exec sleep 300) >/dev/null 2>&1 & echo $! > '${file}'`));
  expect([outcome.kind, swept, readIdentity(Number(readFileSync(file, 'utf8')))]).toEqual(['finished', 1, null]);
});

test('an agent that is finished is read again, not run again', async () => {
  const agent = agentOf('echo x >> ran; echo \'{"type":"result","usd":2}\'');
  const ends = [await run(agent), await run(agent)];
  expect(ends.map(({ outcome }) => outcome.usage.usd)).toEqual([2, 2]);
  expect(readText(join(agent.cwd, 'ran'))).toBe('x\n');
});

describe('cancellation', () => {
  const slow = 'echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done; echo x >> ran';

  test('ends the agent at once and throws the reason', async () => {
    const agent = agentOf(slow);
    const stop = new AbortController();
    const ended = run(agent, actOf({ signal: stop.signal }));
    const pid = await pidIn(join(agent.cwd, 'pid'));
    const reason = new Error('cancelled');
    stop.abort(reason);
    await expect(ended).rejects.toBe(reason);
    expect(readIdentity(pid)).toBeNull();
  });

  test('of the worker alone leaves the agent at work; the next watcher attaches to it, even if its program is gone', async () => {
    const cwd = freshDir('tree');
    put(cwd, { 'bin/agent.sh': `#!/bin/sh\n${slow}\n` });
    const agent = agentOf('', { cwd, argv: ['bin/agent.sh'] });
    const worker = new AbortController();
    const left = run(agent, actOf({ signal: worker.signal }));
    const pid = await pidIn(join(cwd, 'pid'));
    worker.abort(leaveRunning);
    await expect(left).rejects.toBe(leaveRunning);
    expect(readIdentity(pid)).not.toBeNull();
    rmSync(join(cwd, 'bin'), { recursive: true });
    const second = run(agent);
    put(cwd, { go: '' });
    expect((await second).outcome.kind).toBe('finished');
    expect(readText(join(cwd, 'ran'))).toBe('x\n');
  });
});

test('a program that cannot be started is said without a start', async () => {
  const { outcome } = await run(agentOf('', { argv: ['no-such-agent'] }));
  expect(outcome).toMatchObject({ kind: 'misconfigured', reason: 'agent command: expected a program, found no "no-such-agent" on PATH' });
});
