// Owns where everything of a run lies under $PDLC_HOME. Nothing of it is ever inside the user's repository or the agent's worktree.
import { join } from 'node:path';

/** The folders and files of one run on this host; absolute paths. `attempt` is one control directory, named by its activity id and part. */
export type RunPaths = {
  dir: string;
  engine: string;
  tree: string;
  bases: string;
  rooms: string;
  ledger: string;
  copies: string;
  attempt: (activityId: string, part?: string) => string;
};

/** Folder of a project: everything that belongs to one repository of the user. */
const projectDir = (home: string, project: string): string => join(home, 'projects', project);

/** Folder of a feature: its inputs and its runs. */
export const featureDir = (home: string, project: string, featureId: string): string => join(projectDir(home, project), 'features', featureId);

/** Paths of one run; `runKey` is Temporal's first run id. */
export function runPaths(home: string, at: { project: string; featureId: string; runKey: string }): RunPaths {
  const project = projectDir(home, at.project);
  const dir = join(featureDir(home, at.project, at.featureId), 'runs', at.runKey);
  return {
    dir,
    engine: join(dir, 'engine.git'),
    tree: join(dir, 'tree'),
    bases: join(project, 'bases'),
    rooms: join(project, 'rooms'),
    ledger: join(dir, 'ledger.jsonl'),
    copies: join(dir, 'copies'),
    attempt: (activityId, part) => join(dir, 'attempts', part ? `${activityId}.${part}` : activityId),
  };
}
