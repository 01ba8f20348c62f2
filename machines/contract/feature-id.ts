// Owns what a feature id may look like and the names derived from it. An id becomes a branch, a folder and a workflow id, so anything odd is refused.
import { z } from 'zod';

/** Longest feature id, in characters; leaves room for what is built from it (branch, folder, workflow id). */
export const featureIdLengthMax = 100;

/** Why this text cannot be a feature id, in words for a person, or null when it can. */
export function featureIdProblem(id: string): string | null {
  if (id.length === 0) return 'it is empty';
  if (id.length > featureIdLengthMax) return `it has ${id.length} characters, at most ${featureIdLengthMax} are allowed`;
  if (!/^[A-Za-z0-9]/.test(id)) return 'it must begin with a letter or a digit';
  if (!/^[A-Za-z0-9._-]+$/.test(id)) return 'only letters a-z, digits, ".", "_" and "-" are allowed';
  if (id.includes('..')) return '".." is not allowed';
  if (id.endsWith('.') || id.toLowerCase().endsWith('.lock')) return 'git allows no branch that ends so';
  if (/\.(json|jsonl|history)$/i.test(id)) return 'it would collide with the names of state files';
  return null;
}

/** A feature id; see `featureIdProblem` for the rule. */
export const featureIdSchema = z.string().refine((id) => featureIdProblem(id) === null, { error: 'not a feature id' });

/** The branch that the engine owns in the user's repository. */
export const branchOf = (featureId: string): string => `pdlc/${featureId}`;

/** The one workflow of a feature; `project` is base name + digest of the repository's common git directory. */
export const workflowIdOf = (project: string, featureId: string): string => `pdlc/${project}/${featureId}`;
