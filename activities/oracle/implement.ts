// Owns the contract of the implement stage: every check green in the room, with the sealed files as they were.
import type { Verdict } from '../../machines/contract/verdict.js';
import { type ChecksEnd, checkRoom, expectAll, green } from './checks.js';
import { integrity, sortChanges } from './integrity.js';
import { type Judging, none, pass, reject } from './judging.js';

/** Judges an implement candidate; the gates in order, the first refusal is the verdict. */
export async function judgeImplement(judging: Judging): Promise<Verdict> {
  const { input } = judging;
  const { commit, changed } = input.candidate;
  // A person who resumes may have changed only the world outside; an agent that changed nothing has not worked.
  if (!changed && input.at.attempt > 0) return reject('admit', 'nothing was changed: the tests of the tdd stage are still to be turned green');
  const refused = await integrity(judging);
  if (refused) return refused;
  const alone = await withoutAddedTests(judging);
  if ('refused' in alone) return alone.refused;
  // No file of the seal differs, so the commit itself is the candidate with its sealed files as they were.
  const expectations = expectAll(input.run.config.checks, green);
  const seen = await checkRoom(judging, { commit, part: 'candidate' }, { expectations, evidence: alone.evidence });
  return 'refused' in seen ? seen.refused : pass('checks', seen.evidence);
}

/** The sealed tests have to be green by the code alone: what implement adds among the tests (a fixture, a mock, a runner's hook) may not be what turns them. */
async function withoutAddedTests(judging: Judging): Promise<ChecksEnd> {
  const { run, seal, candidate } = judging.input;
  const { unit } = run.config.checks;
  const { tests } = await sortChanges(judging, seal, candidate.commit);
  const drop = tests.filter(({ status }) => status === 'added').map(({ path }) => path);
  if (!unit || drop.length === 0) return { evidence: none };
  const plan = { commit: candidate.commit, part: 'without the added tests', drop };
  return checkRoom(judging, plan, { expectations: [{ name: 'unit', command: unit, wanted: green }], evidence: none });
}
