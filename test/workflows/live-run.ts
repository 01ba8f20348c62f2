// A running workflow's memory for tests without a server: machines, report and facts as the workflow holds them.
// Must never call a function that only works inside of a workflow.
import { defaultLimits } from '../../machines/contract/limits.js';
import type { RunInput } from '../../machines/contract/run-input.js';
import type { StageEvent } from '../../machines/stage.js';
import { beginStage } from '../../machines/step.js';
import { beginLive, dispatchedStage, type Live, record } from '../../workflows/live.js';
import { tell } from '../../workflows/perform.js';
import { configOf } from '../activities/oracle/run.js';

/** Input of a run from tdd on. */
export const input: RunInput = {
  ...{ featureId: 'F1', project: 'p-1', hostId: 'h', repo: '/repo', gitDir: '/repo/.git', branch: 'pdlc/F1', base: 'b'.repeat(40), tip: 'b'.repeat(40) },
  ...{ branchTip: null, saveTipAs: null, startStage: 'tdd', entry: 'work', design: { path: 'd', digest: 'd' }, config: configOf(), configSource: 'test' },
  ...{ honor: false, files: '/files', heartbeatMs: 5_000 },
};

/** A run that has begun and dispatched nothing yet. */
export function begun(): Live {
  const live = beginLive(input, 'run-1');
  const { featureId, repo, branch, base, tip, configSource, honor } = input;
  record(live, { kind: 'run.started', workflowId: 'w', design: 'd', limits: defaultLimits, featureId, repo, branch, base, tip, configSource, honor });
  return live;
}

/** A run whose stage has been told these facts. */
export function inStage(...events: StageEvent[]): Live {
  const live = begun();
  const stage = dispatchedStage(live) ?? 'tdd';
  live.stage = beginStage({ stage, entry: 'work', attemptsMax: 2 });
  record(live, { kind: 'stage.dispatched', stage, step: 1, entry: 'work' });
  for (const event of events) tell(live, event);
  return live;
}
