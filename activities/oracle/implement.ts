// Owns the contract of the implement stage: every check green in the room, with the sealed files as they were.
import type { Verdict } from '../../machines/contract/verdict.js';
import { checkRoom, expectAll, green } from './checks.js';
import { integrity } from './integrity.js';
import { type Judging, none, pass, reject } from './judging.js';

/** Judges an implement candidate; the gates in order, the first refusal is the verdict. */
export async function judgeImplement(judging: Judging): Promise<Verdict> {
  const { input } = judging;
  const { commit, changed } = input.candidate;
  // A person who resumes may have changed only the world outside; an agent that changed nothing has not worked.
  if (!changed && input.at.attempt > 0) return reject('admit', 'nothing was changed: the tests of the tdd stage are still to be turned green');
  const refused = await integrity(judging);
  if (refused) return refused;
  // No file of the seal differs, so the commit itself is the candidate with its sealed files as they were.
  const seen = await checkRoom(judging, { commit, part: 'candidate' }, { expectations: expectAll(input.run.config.checks, green), evidence: none });
  return 'refused' in seen ? seen.refused : pass('checks', seen.evidence);
}
