// Owns the folder in which a run's inputs are kept on this host: the design's bytes, the state as it was found, and the environment. Readable by its owner only.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { readBlob } from '../activities/git/read.js';
import { environmentFile, takeEnvironment } from '../activities/host/environment.js';
import { featureDir } from '../activities/host/paths.js';
import { designOf } from '../activities/project/new-feature.js';
import type { Config } from '../machines/contract/config.js';
import type { Context } from './context.js';
import type { Feature } from './feature.js';

/** Largest design document, in bytes. */
const designBytesMax = 2_097_152;

/** A design as it is given to every agent, or why there is none. */
export type Design = { ok: true; path: string; digest: string; bytes: Buffer } | { ok: false; reason: string };

/** Finds the design that the state file names: in the branch, else in the checkout. */
export async function readDesign(context: Context, feature: Feature): Promise<Design> {
  const path = feature.state.ok ? designOf(feature.state.state) : null;
  if (!path) return missing('the state file to name a design document (history of stage design, produced)', 'none');
  const inside = normalize(path);
  if (isAbsolute(inside) || inside.startsWith('..')) return missing('a path inside the repository', JSON.stringify(path));
  const bytes = (await onBranch(context, feature, inside)) ?? inCheckout(join(feature.repo.top, inside));
  if (bytes === null) return missing(`the design document ${path}`, 'no such file of at most 2 MiB, neither on the branch nor in the checkout');
  if (bytes.toString().trim() === '') return missing(`the design document ${path} to say something`, 'an empty file');
  return { ok: true, path, bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

/** Writes the inputs of a run and returns their folder. */
export function writeInputs(context: Context, feature: Feature, { design, config }: { design: Buffer; config: Config }): string {
  const dir = join(featureDir(context.home, feature.repo.project, feature.id), 'inputs', randomUUID());
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const pass = Object.values(config.stages).flatMap(({ agent, evaluator }) => [...agent.pass, ...evaluator.pass]);
  const write = (name: string, data: string | Buffer): void => writeFileSync(join(dir, name), data, { mode: 0o600, flush: true });
  write('design', design);
  write('state.json', feature.stateText);
  write(environmentFile, JSON.stringify(takeEnvironment(context.env, pass)));
  return dir;
}

/** Takes back the inputs of a run that did not start. */
export function dropInputs(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

function missing(expected: string, found: string): Design {
  return { ok: false, reason: `design: expected ${expected}, found ${found}; make the feature with: pdlc new --design FILE` };
}

async function onBranch({ git }: Context, { repo, tip }: Feature, path: string): Promise<Buffer | null> {
  if (tip === null) return null;
  const blob = await readBlob({ git, gitDir: repo.commonDir, commit: tip, path, bytesMax: designBytesMax });
  return blob.kind === 'found' ? blob.bytes : null;
}

function inCheckout(file: string): Buffer | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= designBytesMax ? readFileSync(file) : null;
}
