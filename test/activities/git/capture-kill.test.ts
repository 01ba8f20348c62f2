// Guarantee of capture under death: killed anywhere and repeated, it ends with the same commit, a clean repository and no stuck lock.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { cleanEnv } from '../../helpers/temp.js';
import { atMs, captureScene, freshDir, makeScene, put, type Scene, shellGit } from './scene.js';

const rounds = 30;
const slowestKillMs = 150;
let script = '';

beforeAll(() => {
  const out = freshDir('built');
  const options = [
    '--outDir',
    out,
    '--rootDir',
    '.',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--skipLibCheck',
    '--types',
    'node',
    '--strict',
    '--ignoreConfig',
  ];
  execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), 'activities/git/capture.ts', ...options], { stdio: 'pipe' });
  symlinkSync(resolve('node_modules'), join(out, 'node_modules'));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  script = join(out, 'run.mjs');
  const run = `const request = JSON.parse(process.argv[2]);\nprocess.stdout.write('go');\nawait capture({ git: createGit({ path: process.env.PATH }), ...request });\n`;
  writeFileSync(script, `import { capture } from './activities/git/capture.js';\nimport { createGit } from './activities/git/git.js';\n${run}`);
});

/** Runs capture in a process of its own and kills its whole group after a while; whether the kill came first. */
async function captureAndKill({ engineDir, tree, base }: Scene, afterMs: number): Promise<boolean> {
  const request = {
    engineDir,
    tree,
    tip: base,
    parent: base,
    ref: 'refs/pdlc/attempt/tdd-1-1',
    message: 'tdd: attempt 1',
    trailers: { 'Pdlc-Run': 'r1', 'Pdlc-Stage': 'tdd' },
    atMs,
  };
  const child = spawn(process.execPath, [script, JSON.stringify(request)], { detached: true, env: cleanEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  await sleep(afterMs);
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch {
    // It was faster.
  }
  const [code] = await ended;
  return code === null;
}

test('a capture killed at any moment is repeated with the same commit', async () => {
  const scene = await makeScene();
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`many/${index}.js`, `${index}`.repeat(500)]));
  put(scene.tree, { ...files, 'src/a.js': 'changed' });
  shellGit(scene.tree, ['add', '-A']);
  shellGit(scene.tree, ['commit', '-qm', 'mine']);
  put(scene.tree, { 'after.js': '1' });
  const ids = new Set<string>();
  let killed = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (await captureAndKill(scene, (slowestKillMs * round) / rounds)) killed += 1;
    const found = await captureScene(scene);
    expect(found).toMatchObject({ agentCommits: 1, filesTotal: 202 });
    ids.add(found.commit);
    if (round % 2 === 0) shellGit(scene.engineDir, ['update-ref', '-d', 'refs/pdlc/attempt/tdd-1-1']);
  }
  expect(killed).toBeGreaterThan(rounds / 4);
  expect(ids.size).toBe(1);
  shellGit(scene.engineDir, ['fsck', '--strict', '--no-dangling']);
}, 120_000);
