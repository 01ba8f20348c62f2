// Owns which engine this is, and whether it may touch what another one wrote. Pure.

/** An engine: its version, and the format of the runs that it writes. */
export type Engine = { version: string; format: number };

/** This engine. `format` is raised when an older engine could no longer read what a run carries (input, memory, acts); `version` is that of package.json. */
export const engine: Engine = { version: '0.1.0', format: 1 };

/** Why this engine must leave a run alone, with the way on, or null; a run that names no engine is from before there were formats. */
export function engineProblem(writer: Engine | undefined): string | null {
  if (!writer || writer.format <= engine.format) return null;
  return `engine too old: expected a run of format ${engine.format} at most (this is pdlc ${engine.version}), found format ${writer.format}, written by pdlc ${writer.version}. Install pdlc ${writer.version} or newer; the run is as it was`;
}
