// The new command: makes a feature id and its state file in the checkout, from a design document that a person wrote.
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBranch, type Repository } from '../../activities/git/read.js';
import { nameOfDesign, newFeature } from '../../activities/project/new-feature.js';
import { branchOf } from '../../machines/contract/feature-id.js';
import { type FeatureState, stateFilePath } from '../../machines/contract/state-file.js';
import type { Context } from '../context.js';
import { usageError } from '../error.js';
import { checkFeatureId, openHere } from '../feature.js';

/** Most times that a taken id is tried again with a fresh reading of the clock. */
const triesMax = 5;

/** Options of new; `id` overrides the clock's. */
export type NewOptions = { design: string; name: string | undefined; id: string | undefined; json: boolean };

/** Writes the state file, uncommitted, and prints the id; an existing file is never overwritten. */
export async function newCommand(context: Context, { design, name, id, json }: NewOptions): Promise<number> {
  if (id !== undefined) checkFeatureId(id);
  const repo = await openHere(context);
  const designPath = pathInside(repo.top, resolve(context.cwd, design), design);
  const text = readFileSync(join(repo.top, designPath), 'utf8');
  for (let count = 0; count < triesMax; count += 1) {
    const made = newFeature({ now: new Date(), name: name ?? nameOfDesign(designPath, text), designPath, id });
    if (await isFree(context, repo, made)) {
      context.out(json ? JSON.stringify({ featureId: made.id, state: stateFilePath(made.id), design: designPath }) : made.id);
      context.err(`${stateFilePath(made.id)} is written; start with: pdlc loop-run ${made.id}`);
      return 0;
    }
    if (id !== undefined)
      throw usageError(`feature id ${id}: expected a new one, found ${stateFilePath(id)} or its branch already there; leave --id out to have one made`);
    await sleep(1_000); // ids are seconds of the clock
  }
  throw usageError(`feature id: expected a free one within ${triesMax} s, found all taken; try again`);
}

async function isFree({ git }: Context, repo: Repository, { id, state }: { id: string; state: FeatureState }): Promise<boolean> {
  if ((await findBranch(repo, branchOf(id), git)).tip !== null) return false;
  return writeNew(join(repo.top, stateFilePath(id)), `${JSON.stringify(state, null, 2)}\n`);
}

function pathInside(top: string, file: string, given: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw usageError(`--design ${given}: expected a file, found ${stat ? 'something else' : 'none'}`);
  const path = relative(top, file);
  if (path.startsWith('..') || isAbsolute(path)) throw usageError(`--design ${given}: expected a file inside ${top}, found one outside`);
  return path.split(sep).join('/');
}

function writeNew(file: string, text: string): boolean {
  mkdirSync(dirname(file), { recursive: true });
  const whole = `${file}.${process.pid}.new`;
  writeFileSync(whole, text);
  try {
    linkSync(whole, file); // fails when the file is there, and never shows a half-written one
    return true;
  } catch {
    return false;
  } finally {
    rmSync(whole, { force: true });
  }
}
