// Guarantees of moving refs under death: the engine's own left lock is removed, anyone else's is not.
import { cpSync, existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGit } from '../../../activities/git/git.js';
import { moveRef, readEngineRef, setEngineRef } from '../../../activities/git/refs.js';
import { freshDir, git, makeScene, put, type Scene, shellGit } from './scene.js';

const ref = 'refs/heads/pdlc/F1';
const moveOf = ({ engineDir, repo, base }: Scene) => ({ git, engineDir, gitDir: repo.commonDir, ref, commit: base, expected: null });
const lockOf = ({ repo }: Scene) => join(repo.commonDir, `${ref}.lock`);

/** Puts things as a kill inside git's move leaves them: the note is there, and a lock with what git had written so far. */
async function dieInMove(scene: Scene, content: string): Promise<void> {
  const bin = freshDir('bin');
  const [moving, copy] = [join(scene.engineDir, 'moving'), join(bin, 'copy')];
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n[ -e '${copy}' ] || cp -R '${moving}' '${copy}'\nexit 1\n`, { mode: 0o755 });
  await moveRef({ ...moveOf(scene), git: createGit({ path: `${bin}:${process.env.PATH}` }) }).catch(() => {});
  cpSync(copy, moving, { recursive: true });
  put(scene.repo.commonDir, { [`${ref}.lock`]: content });
}

test('a lock that a killed move of the same commit left is removed, but only once it is old', async () => {
  for (const isWritten of [true, false]) {
    const scene = await makeScene();
    await dieInMove(scene, isWritten ? `${scene.base}\n` : '');
    await expect(moveRef(moveOf(scene))).rejects.toMatchObject({ kind: 'git_failed', message: expect.stringContaining('F1.lock') });
    utimesSync(lockOf(scene), 1, 1);
    await moveRef(moveOf(scene));
    expect(shellGit(scene.repo.top, ['rev-parse', ref])).toBe(scene.base);
  }
});

test('a lock of someone else is reported and never removed, however old it is', async () => {
  const scene = await makeScene();
  for (const content of ['', `${scene.base}\n`, 'something\n']) {
    put(scene.repo.commonDir, { [`${ref}.lock`]: content });
    utimesSync(lockOf(scene), 1, 1);
    await expect(moveRef(moveOf(scene))).rejects.toMatchObject({ kind: 'git_failed', message: expect.stringContaining('F1.lock') });
    await expect(moveRef(moveOf(scene))).rejects.toMatchObject({ kind: 'git_failed' });
    expect(existsSync(lockOf(scene))).toBe(true);
  }
});

test('an engine ref is set whole, is what git reads, and what it held before stays reachable', async () => {
  const { engineDir, base } = await makeScene();
  const next = shellGit(engineDir, ['commit-tree', '-m', 'next', '-p', base, `${base}^{tree}`]);
  await setEngineRef(engineDir, 'refs/pdlc/tip', next);
  await setEngineRef(engineDir, 'refs/pdlc/tip', next);
  expect([await readEngineRef(engineDir, 'refs/pdlc/tip'), await readEngineRef(engineDir, 'refs/pdlc/none')]).toEqual([next, null]);
  expect(shellGit(engineDir, ['for-each-ref', '--format=%(refname)', `--points-at=${base}`])).toContain(`refs/pdlc/replaced/${base}`);
  expect(shellGit(engineDir, ['rev-parse', 'refs/pdlc/tip'])).toBe(next);
});
