// Owns the contract of the review stage: checks green on exactly this tree, then an independent evaluator's card without a blocking finding.
import { blockingFindings, type Finding } from '../../machines/contract/card.js';
import { describeCheck } from '../../machines/contract/check.js';
import type { Verdict } from '../../machines/contract/verdict.js';
import { findingLine } from '../agents/prompt.js';
import { checkRoom, expectAll, green } from './checks.js';
import { evaluate } from './evaluate.js';
import { integrity, sortChanges } from './integrity.js';
import { type Judging, none, pass, reject, unknown } from './judging.js';

/** Judges a review candidate; checks that this run saw green on the same tree are not run again. */
export async function judgeReview(judging: Judging): Promise<Verdict> {
  const { input } = judging;
  const { commit } = input.candidate;
  const refused = await integrity(judging, await sortChanges(judging, input.seal, commit));
  if (refused) return refused;
  const expectations = (await isVerified(judging)) ? [] : expectAll(input.run.config.checks, green);
  const seen = await checkRoom(judging, { commit, part: 'candidate' }, { expectations, evidence: none });
  if ('refused' in seen) return seen.refused;
  const known = seen.evidence.checks.map(describeCheck);
  const { card, problem, usage } = await evaluate(judging, known.length > 0 ? known : ['all checks passed on this tree']);
  const evidence = { ...seen.evidence, usage };
  if (!card) return unknown('evaluate', problem, evidence);
  const blocking = blockingFindings(card);
  if (blocking.length === 0) return pass('evaluate', evidence, card);
  return reject('evaluate', reasonOf(blocking), { detail: blocking.map(findingLine).join('\n'), evidence, card });
}

async function isVerified(judging: Judging): Promise<boolean> {
  const { verified, candidate } = judging.input;
  return verified !== null && (await sortChanges(judging, verified, candidate.commit)).all.length === 0;
}

function reasonOf(blocking: Finding[]): string {
  return `the evaluator found ${blocking.length === 1 ? 'a blocking finding' : `${blocking.length} blocking findings`}: ${blocking.map(({ id, why }) => `${id}: ${why}`).join('; ')}`.slice(
    0,
    1_000,
  );
}
