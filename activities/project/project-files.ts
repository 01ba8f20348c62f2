// Owns looking at the files of a project for clues: bounded reading, and the shape of what one part of a project gives away. Runs nothing of the project.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Largest file that is looked into, in bytes. */
const clueBytesMax = 1_048_576;

/** Files of a project, by path from its root; `text` is null for what is absent, no file, or too large. */
export type ProjectFiles = { has: (path: string) => boolean; text: (path: string) => string | null };

/** What one part of a project (a manifest, a Makefile) gives away. Null and absent checks: nothing was found, never a guess. `evidence` are sentences. */
export type Clues = { packageManager: string | null; runner: string | null; setup: string | null; checks: Record<string, string>; evidence: string[] };

/** The files below a folder. */
export function projectFiles(dir: string): ProjectFiles {
  const fileAt = (path: string) => statSync(join(dir, path), { throwIfNoEntry: false });
  return {
    has: (path) => fileAt(path) !== undefined,
    text: (path) => {
      const file = fileAt(path);
      return file?.isFile() && file.size <= clueBytesMax ? readFileSync(join(dir, path), 'utf8').replace(/^\uFEFF/, '') : null;
    },
  };
}
