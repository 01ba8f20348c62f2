// Owns the contract of the implement stage: every check green in the room, with the sealed files as they were.
import type { Verdict } from '../../machines/contract/verdict.js';
import { type ChecksEnd, checkRoom, expectAll, green } from './checks.js';
import { type Changes, integrity, sortChanges } from './integrity.js';
import { type Judging, none, pass, reject } from './judging.js';

/** Judges an implement candidate; the gates in order, the first refusal is the verdict. */
export async function judgeImplement(judging: Judging): Promise<Verdict> {
  const { input } = judging;
  const { commit, changed } = input.candidate;
  // A person who resumes may have changed only the world outside; an agent that changed nothing has not worked.
  if (!changed && input.at.attempt > 0) return reject('admit', 'nothing was changed: the tests of the tdd stage are still to be turned green');
  const changes = await sortChanges(judging, input.seal, commit);
  const refused = await integrity(judging, changes);
  if (refused) return refused;
  const alone = await sealedAlone(judging, changes);
  if ('refused' in alone) return alone.refused;
  // No file of the seal differs, so the commit itself is the candidate with its sealed files as they were.
  const expectations = expectAll(input.run.config.checks, green);
  const seen = await checkRoom(judging, { commit, part: 'candidate' }, { expectations, evidence: alone.evidence });
  return 'refused' in seen ? seen.refused : pass('checks', seen.evidence);
}

/**
 * What nobody may be green by: files that implement adds among the tests (a fixture, a mock, a runner's hook), and lines that tdd added to tests of the
 * base (they may comment out what stands there). `unit` runs without the first, and once with the base's own tests, only where there is any of it.
 */
async function sealedAlone(judging: Judging, sinceSeal: Changes): Promise<ChecksEnd> {
  const { run, seal, candidate } = judging.input;
  const { unit } = run.config.checks;
  const sinceBase = run.base === seal ? sinceSeal : await sortChanges(judging, run.base, candidate.commit);
  const added = sinceSeal.tests.filter(({ status }) => status === 'added');
  const grown = sinceBase.tests.filter(({ status }) => status === 'modified');
  if (!unit || added.length + grown.length === 0) return { evidence: none };
  const expectations = [{ name: 'unit', command: unit, wanted: green }];
  const { commit } = candidate;
  const alone: ChecksEnd =
    added.length === 0
      ? { evidence: none }
      : await checkRoom(judging, { commit, part: 'without the added tests', drop: added.map(({ path }) => path) }, { expectations, evidence: none });
  if ('refused' in alone || grown.length === 0) return alone;
  const restore = { commit: run.base, paths: grown.map(({ path }) => path) };
  return checkRoom(judging, { commit, part: 'with the tests of the base', restore }, { expectations, evidence: alone.evidence });
}
