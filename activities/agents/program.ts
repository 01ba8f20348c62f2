// Owns telling before a start whether a program can be started. It looks at the file system only and runs nothing.
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Why a program cannot be started, or null: not found on the path, a directory, or not executable. Relative names with a slash are looked up in `cwd`. */
export function programProblem(program: string, at: { cwd: string; path: string }): string | null {
  const places = program.includes('/') ? [isAbsolute(program) ? program : join(at.cwd, program)] : at.path.split(delimiter).map((dir) => join(dir, program));
  // As the system does, what cannot be run is passed over as long as a later place has something that can.
  if (places.some((place) => look(place)?.isFile() && isExecutable(place))) return null;
  const found = places.find(look);
  if (!found) return `agent command: expected a program, found no ${JSON.stringify(program)}${program.includes('/') ? '' : ' on PATH'}`;
  if (!look(found)?.isFile()) return `agent command: expected a program, found that ${found} is no file`;
  return `agent command: expected an executable file, found that ${found} is not executable (chmod +x)`;
}

/** What is at a path, undefined also where we may not look. */
function look(place: string): Stats | undefined {
  try {
    return statSync(place);
  } catch {
    return undefined;
  }
}

function isExecutable(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
