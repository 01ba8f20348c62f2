// Guarantees of the capture activity: the engine's commit says whose work it is, and a repeat makes the same one.
import { expect, test } from 'vitest';
import { capture } from '../../activities/capture.js';
import { ensureTree } from '../../activities/git/agent-tree.js';
import { readEngineRef } from '../../activities/git/refs.js';
import type { CaptureInput } from '../../machines/contract/activities.js';
import { atMs, git, put, shellGit } from './git/scene.js';
import { makeRun } from './oracle/run.js';

test('a capture names run, stage, step, attempt and author, is kept under a ref of its attempt, and is the same when repeated', async () => {
  const { host, run, runKey, base, paths } = await makeRun();
  const tree = await ensureTree({ git, engineDir: paths.engine, runDir: paths.dir, branch: 'pdlc/F1', commit: base });
  put(tree, { 'src/a é.sh': 'x', '.env': 'KEY=1' });
  const at = { stage: 'tdd', step: 2, attempt: 1, tries: 0 } as const;
  const input: CaptureInput = { run, runKey, at, author: 'agent', parent: base, tip: base, atMs };
  const first = await capture(host, input);
  expect(first).toMatchObject({ changed: true, files: ['src/a é.sh'], omitted: [{ path: '.env', reason: 'secret' }], stateTamper: false });
  expect(await capture(host, input)).toEqual(first);
  expect(await readEngineRef(paths.engine, 'refs/pdlc/attempt/tdd-2-1')).toBe(first.commit);
  const trailers = ['Pdlc-Run: run-1', 'Pdlc-Stage: tdd', 'Pdlc-Step: 2', 'Pdlc-Attempt: 1', 'Pdlc-Author: agent'];
  expect(shellGit(paths.engine, ['log', '-1', '--format=%an|%B', first.commit])).toBe(`pdlc|pdlc(F1): tdd, attempt 1\n\n${trailers.join('\n')}`);
  const again = await capture(host, { ...input, at: { ...at, tries: 1 }, author: 'person' });
  expect(await readEngineRef(paths.engine, 'refs/pdlc/attempt/tdd-2-1r1')).toBe(again.commit);
});
