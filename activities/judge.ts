// The judge activity: holds a captured candidate against its stage's contract, in rooms, after every process of the agent is gone.
import type { JudgeInput } from '../machines/contract/activities.js';
import type { Stage } from '../machines/contract/stage.js';
import type { Verdict } from '../machines/contract/verdict.js';
import type { Act } from './host/act.js';
import { type Host, pathsOf } from './host/host.js';
import { judgeImplement } from './oracle/implement.js';
import type { Judging } from './oracle/judging.js';
import { judgeReview } from './oracle/review.js';
import { withSlot } from './oracle/slot.js';
import { judgeTdd } from './oracle/tdd.js';

const contracts: Record<Stage, (judging: Judging) => Promise<Verdict>> = { tdd: judgeTdd, implement: judgeImplement, review: judgeReview };

/** Reaches one verdict. Safe to repeat because rooms are built anew from commits, and commands that ran already give their recorded result. */
export async function judge(host: Host, input: JudgeInput, act: Act): Promise<Verdict> {
  const paths = pathsOf(host, input);
  return withSlot(paths, act, (slot) => contracts[input.at.stage]({ host, act, paths, slot, input }));
}
