// Owns telling before a start whether a program can be started. It looks at the file system only and runs nothing.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Why a program cannot be started, or null: not found on the path, a directory, or not executable. Relative names with a slash are looked up in `cwd`. */
export function programProblem(program: string, at: { cwd: string; path: string }): string | null {
  const places = program.includes('/') ? [isAbsolute(program) ? program : join(at.cwd, program)] : at.path.split(delimiter).map((dir) => join(dir, program));
  const found = places.find((place) => statSync(place, { throwIfNoEntry: false }));
  if (!found) return `agent command: expected a program, found no ${JSON.stringify(program)}${program.includes('/') ? '' : ' on PATH'}`;
  if (!statSync(found).isFile()) return `agent command: expected a program, found that ${found} is no file`;
  try {
    accessSync(found, constants.X_OK);
    return null;
  } catch {
    return `agent command: expected an executable file, found that ${found} is not executable (chmod +x)`;
  }
}
