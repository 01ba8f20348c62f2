// Guarantees of looking for an agent's program: what cannot be started is named with the reason before anything runs.
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programProblem } from '../../../activities/agents/program.js';
import { freshDir, put } from '../git/scene.js';

const cwd = freshDir('cwd');
put(cwd, { 'bin/good.sh': '#!/bin/sh\n', 'bin/plain': '' });
mkdirSync(join(cwd, 'bin/folder'));
chmodSync(join(cwd, 'bin/plain'), 0o644);
symlinkSync('nowhere', join(cwd, 'bin/dangling'));
symlinkSync('loop', join(cwd, 'bin/loop'));
mkdirSync(join(cwd, 'first/good.sh'), { recursive: true });

test.each<[string, RegExp | null]>([
  ['good.sh', null],
  ['bin/good.sh', null],
  ['./bin/good.sh', null],
  [join(cwd, 'bin/good.sh'), null],
  ['nope', /found no "nope" on PATH$/],
  ['bin/nope', /found no "bin\/nope"$/],
  ['', /found/],
  ['bin/folder', /is no file$/],
  ['bin/plain', /is not executable \(chmod \+x\)$/],
  ['bin/dangling', /found no/],
  ['bin/loop', /found no/],
  ['n'.repeat(5_000), /found no/],
])('%j is judged by the file that would run', (program, problem) => {
  const found = programProblem(program, { cwd, path: `/nowhere:${join(cwd, 'first')}:${join(cwd, 'bin')}` });
  if (problem === null) expect(found).toBeNull();
  else expect(found).toMatch(problem);
});
