// Agents that misbehave: each ends as a fact of its own kind, and none of them is ever a pass.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFixture, snapshotRepo } from '../helpers/sample.js';
import { tempDir } from '../helpers/temp.js';
import { git, openSample } from './repository.js';
import { json, openRig } from './support.js';

const rig = openRig();

const charged = [
  { does: 'exits with 3', agent: ['fail', 'tdd'], state: 'stuck', kind: 'failed', reason: 'agent exited with 3: the model went away' },
  {
    does: 'works well and exits with 3',
    agent: ['fail', 'tdd', 'worked'],
    state: 'blocked',
    kind: 'failed',
    reason: 'agent exited with 3: the model went away',
  },
  { does: 'exits at once', agent: ['quit'], state: 'stuck', kind: 'finished', reason: 'nothing was changed: the tdd stage has to add failing tests' },
  {
    does: 'works for longer than its limit',
    agent: ['slow', 'tdd'],
    limits: { wall: '1s' },
    state: 'stuck',
    kind: 'timed_out',
    reason: 'agent reached its wall time limit',
  },
  {
    does: 'is silent for longer than its limit',
    agent: ['slow', 'tdd'],
    limits: { silence: '1s' },
    state: 'stuck',
    kind: 'silent',
    reason: 'agent was silent for longer than its limit',
  },
];

for (const { does, agent, limits = {}, state, kind, reason } of charged) {
  test.concurrent(`an agent that ${does} has used its attempt and does not pass`, async () => {
    const [name = '', ...args] = agent;
    const sample = openSample({ agent: agentFixture(name, ...args), config: { limits } });
    const ended = json(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json'));
    expect(ended).toMatchObject({ state, reason, stage: 'tdd', steps: [{ ok: false, attempts: 2 }] });
    expect(sample.starts()).toEqual(['worker tdd', 'worker tdd']);
    expect((await rig.facts(sample.dir)).flatMap(({ outcome }) => (outcome ? [outcome.kind] : []))).toEqual([kind, kind]);
  });
}

test.concurrent('an agent that prints more than its limit is ended as flooded', async () => {
  const sample = openSample({ agent: agentFixture('flood', 'tdd', '600'), config: { limits: { attempts: 1 } } });
  expect(json(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json'))).toMatchObject({ state: 'blocked', reason: 'agent wrote more output than its limit' });
});

test.concurrent('an agent that prints bytes of no encoding passes by its work, and nothing of it reaches the terminal', async () => {
  const sample = openSample({ agent: agentFixture('garble'), at: 'implement' });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  const shown = `${ended.stdout}${ended.stderr}${(await rig.pdlc(sample.dir, 'history', 'F1')).stdout}`;
  expect(shown.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test.concurrent('a meddler with its own git passes, its trip wires never fire, and the user sees nothing of it', async () => {
  const wire = join(tempDir('wire'), 'fired');
  const sample = openSample({ agent: agentFixture('meddler'), env: { PDLC_TEST_WIRE: wire } });
  const before = snapshotRepo(sample.dir);
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(ended).toMatchObject({ code: 0, last: '<<<PDLC done stage=review>>>' });
  expect(snapshotRepo(sample.dir)).toEqual(before);
  expect(existsSync(wire)).toBe(false);
  expect(git(sample.dir, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual(['refs/heads/main', 'refs/heads/pdlc/F1']);
});

test.concurrent('a run whose deadline passes ends as expired, with its agent gone and its tree removed', async () => {
  const sample = openSample({ agent: agentFixture('slow', 'tdd'), config: { limits: { deadline: '4s' } } });
  const ended = await rig.pdlc(sample.dir, 'loop-run', 'F1');
  expect(ended).toMatchObject({ code: 3, last: '<<<PDLC blocked reason="expired: the deadline of the run has passed">>>' });
  expect(sample.log().map(({ pid }) => existsSync(`/proc/${pid}`))).toEqual([false]);
  expect(existsSync((await rig.status(sample.dir)).tree)).toBe(false);
});

const missing = [
  { what: 'is not there', make: () => join(tempDir('no'), 'agent'), found: 'found no "' },
  { what: 'is on no path', make: () => 'pdlc-no-such-agent', found: 'found no "pdlc-no-such-agent" on PATH' },
  { what: 'cannot be executed', make: () => script('#!/bin/sh\n', 0o644), found: 'is not executable (chmod +x)' },
  { what: 'has no interpreter', make: () => script('#!/no/such/interpreter\n', 0o755), found: 'agent could not be started: exit 12' },
];

for (const { what, make, found } of missing) {
  test.concurrent(`an agent that ${what} is a broken environment, never an attempt`, async () => {
    const sample = openSample({ agent: [make()] });
    const ended = json(await rig.pdlc(sample.dir, 'loop-run', 'F1', '--json'));
    expect(ended).toMatchObject({
      state: 'env_broken',
      exitCode: 4,
      reason: expect.stringContaining(found),
      next: ['pdlc resume F1', 'pdlc doctor', 'pdlc abort F1 && pdlc loop-run F1 --fresh'],
    });
  });
}

function script(text: string, mode: number): string {
  const file = join(tempDir('script'), 'agent');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}
