// The only writes into the user's repository: objects, and one ref by compare-and-swap. Everything else there stays as it is, byte for byte.

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PdlcError } from '../../machines/contract/failure.js';
import { type Git, identity } from './git.js';
import { commitText, copyHistory, secondsOf, type Words } from './objects.js';
import { findBranch, type Repository } from './read.js';
import { movedRef, moveRef, readRef } from './refs.js';

/** Commits whole files on top of `parent` in the engine repository, without any tree. One git process. Safe to repeat because the same input is the same commit. */
export async function commitFiles(
  request: { git: Git; engineDir: string; parent: string; files: readonly { path: string; text: string }[] } & Words,
): Promise<string> {
  const { git, engineDir, parent, files, ...words } = request;
  // A name of its own for each call: a lock that a killed one leaves is then in nobody's way.
  const ref = `refs/pdlc/import/${randomUUID()}`;
  const head = [
    `commit ${ref}`,
    'mark :1',
    `committer ${identity.name} <${identity.email}> ${secondsOf(words)} +0000`,
    data(commitText(words)),
    `from ${parent}`,
  ];
  const input = [
    'feature done',
    ...head,
    ...files.map(({ path, text }) => `M 100644 inline ${quoted(path)}\n${data(text)}`),
    '',
    'get-mark :1',
    'done',
    '',
  ].join('\n');
  const { stdout } = await git(['fast-import', '--quiet', '--done'], { gitDir: engineDir, input });
  await rm(join(engineDir, ref), { force: true });
  return stdout.trim();
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;
}

/** `commit` of the engine repository is to be at a ref of the user's repository; `base` is the run's, which the user's repository normally still has. */
export type PublishRequest = { git: Git; repo: Pick<Repository, 'commonDir'>; engineDir: string; base: string; commit: string; expected: string | null };

/** Brings a commit into the user's repository as `refs/heads/<branch>`. `branch_moved` when the branch is not at `expected` (null: absent), has another in its way, or is checked out. */
export async function publishBranch({ branch, ...request }: PublishRequest & { branch: string }): Promise<void> {
  const tip = await writableTip({ ...request, branch });
  await bring({ ...request, ref: `refs/heads/${branch}`, found: tip });
}

/** Refuses a branch that a later `publishBranch` with the same `expected` would refuse. */
export async function requireBranchAt(request: Pick<PublishRequest, 'git' | 'repo' | 'expected'> & { branch: string }): Promise<void> {
  const tip = await writableTip(request);
  if (tip !== request.expected) throw movedRef(`refs/heads/${request.branch}`, { expected: request.expected, found: tip });
}

async function writableTip({ git, repo, branch }: Pick<PublishRequest, 'git' | 'repo'> & { branch: string }): Promise<string | null> {
  const { tip, problem } = await findBranch(repo, branch, git);
  if (problem) throw new PdlcError('branch_moved', problem);
  return tip;
}

/** The same for any ref, given by its full name. Safe to repeat because a ref that is already at `commit` is left alone. */
export async function publishRef(request: PublishRequest & { ref: string }): Promise<void> {
  await bring({ ...request, found: await readRef(request.git, request.repo.commonDir, request.ref) });
}

async function bring({ repo, engineDir, base, ref, found, ...rest }: PublishRequest & { ref: string; found: string | null }): Promise<void> {
  const { git, commit, expected } = rest;
  if (found === commit) return;
  // Objects come first: a ref must never be seen before what it names. A stale `expected` costs no copy.
  if (found === expected) await copyHistory({ git, from: engineDir, to: repo.commonDir, want: commit, have: await knownThere({ git, repo, base, expected }) });
  await moveRef({ git, engineDir, gitDir: repo.commonDir, ref, commit, expected });
}

/** A commit that the user's repository surely has, so that only what is new is copied: where its ref is, else the base if that is still there. */
async function knownThere({ git, repo, base, expected }: Pick<PublishRequest, 'git' | 'repo' | 'base' | 'expected'>): Promise<string[]> {
  if (expected !== null) return [expected];
  const { code } = await git(['cat-file', '-e', `${base}^{commit}`], { gitDir: repo.commonDir, okCodes: [0, 1, 128] });
  return code === 0 ? [base] : [];
}
