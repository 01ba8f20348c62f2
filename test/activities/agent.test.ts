// Guarantees of the agent activity: who gets which key, what is put back before a start, and that a repeat finds the same attempt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agent } from '../../activities/agent.js';
import { ensureTree } from '../../activities/git/agent-tree.js';
import type { AgentInput } from '../../machines/contract/activities.js';
import { atMs, git, put } from './git/scene.js';
import { actOf, makeRun, project, type Run } from './oracle/run.js';

type Place = { run: Run; tree: string };

/** A run whose tdd agent is a shell script, with its tree. */
async function withAgent(script: string, change: { env?: Record<string, string>; pass?: string[] } = {}): Promise<Place> {
  const run = await makeRun();
  const { stages } = run.run.config;
  stages.tdd = { ...stages.tdd, model: 'some-model', agent: { command: ['/bin/sh', '-c', script], env: {}, pass: [], ...change } };
  return { run, tree: await ensureTree({ git, engineDir: run.paths.engine, runDir: run.paths.dir, branch: 'pdlc/F1', commit: run.base }) };
}

function attempt({ run }: Place, change: Partial<AgentInput> = {}, act = actOf()) {
  const at = { stage: 'tdd', step: 1, attempt: 1, tries: 0 } as const;
  const work = { parent: run.base, tip: run.base, atMs };
  const input: AgentInput = { run: run.run, runKey: run.runKey, at, role: 'worker', work, rejection: null, restore: null, notes: [], last: false, ...change };
  return agent(run.host, input, act);
}

const seen = ({ tree }: Place, path: string): string => readFileSync(join(tree, path), 'utf8');

test('an agent works in the tree, with the design and the refusal in its prompt', async () => {
  const place = await withAgent('cat > prompt.txt; pwd > where; echo \'{"type":"result","text":"all green","usd":1}\'');
  const { outcome, swept } = await attempt(place, { rejection: 'unit passed; expected red', notes: ['mind the sign'] });
  expect([outcome.kind, outcome.usage.usd, outcome.lastWords, swept]).toEqual(['finished', 1, 'all green', 0]);
  expect(seen(place, 'where').trim()).toBe(place.tree);
  for (const part of ['Stage: tdd.', 'A function twice.', 'unit passed; expected red', 'mind the sign']) expect(seen(place, 'prompt.txt')).toContain(part);
});

test('a key reaches an agent only when its configuration names it', async () => {
  const without = await withAgent('env > seen', { env: { OWN: 'yes' } });
  await attempt(without);
  expect(seen(without, 'seen')).toMatch(/^OWN=yes$/m);
  expect(seen(without, 'seen')).toMatch(/^PDLC_MODEL=some-model$/m);
  expect(seen(without, 'seen')).not.toMatch(/hush|SECRET_KEY/);
  const named = await withAgent('env > seen', { pass: ['SECRET_KEY'] });
  await attempt(named);
  expect(seen(named, 'seen')).toMatch(/^SECRET_KEY=hush$/m);
});

test('tampered files are put back before the agent starts, and never while it may be at work', async () => {
  const place = await withAgent('cp test/add.test.sh "seen-$(ls | grep -c seen)"');
  const restore = { commit: place.run.base, paths: ['test/add.test.sh', 'jest.config.js'] };
  put(place.tree, { 'test/add.test.sh': 'true\n', 'jest.config.js': 'x' });
  const act = actOf();
  await attempt(place, { restore }, act);
  expect(seen(place, 'seen-0')).toBe(project['test/add.test.sh']);
  expect(() => seen(place, 'jest.config.js')).toThrow('ENOENT');
  put(place.tree, { 'test/add.test.sh': 'the agent’s own\n' });
  await attempt(place, { restore }, act);
  expect(seen(place, 'test/add.test.sh')).toBe('the agent’s own\n');
  expect(() => seen(place, 'seen-1')).toThrow('ENOENT');
});

test('a repeat under the same act is the same attempt, another act is a new one', async () => {
  const place = await withAgent('echo x >> ran');
  const act = actOf();
  for (const again of [act, act, actOf()]) expect((await attempt(place, {}, again)).outcome.kind).toBe('finished');
  expect(seen(place, 'ran')).toBe('x\nx\n');
});

test('what an agent left comes along as a commit, the same one for every repeat; without a charged end there is none', async () => {
  const place = await withAgent('echo x > made');
  const act = actOf();
  const [first, again] = [await attempt(place, {}, act), await attempt(place, {}, act)];
  expect(first.capture).toMatchObject({ changed: true, files: ['made'] });
  expect(again.capture).toEqual(first.capture);
  const absent = await withAgent('true');
  absent.run.run.config.stages.tdd.agent.command = ['/nowhere/agent'];
  expect(await attempt(absent)).toMatchObject({ outcome: { kind: 'misconfigured' }, capture: null });
});

test('a capture that fails after the agent has ended leaves its outcome, and no second agent is started for it', async () => {
  const place = await withAgent('echo x >> ran; [ $(wc -l < ran) = 1 ] && mv ../engine.git ../engine.gone');
  const { outcome, capture } = await attempt(place);
  expect([outcome.kind, capture, seen(place, 'ran')]).toEqual(['finished', null, 'x\n']);
});
