// Owns the contract of the tdd stage: new tests that are red for the right reason, while everything that was green on the base stays green.
import { isRed } from '../../machines/contract/check.js';
import type { Verdict } from '../../machines/contract/verdict.js';
import { addedOnly, type TreeChange } from '../git/lists.js';
import { checkRoom, expectAll, greenOrEmpty, type Wanted } from './checks.js';
import { type Changes, dependencyVerdict, names, outsideLinks, sortChanges } from './integrity.js';
import { type Judging, none, pass, reject } from './judging.js';

/** Red by the tests themselves: not a missing program, a signal, a time limit, or no test at all. */
const red: Wanted = { text: 'the new tests to run and fail', met: isRed };
/** Checks that say nothing before the feature exists. */
const notJudged = ['unit', 'coverage', 'e2e'];

/** Judges a tdd candidate; the gates in order, the first refusal is the verdict. */
export async function judgeTdd(judging: Judging): Promise<Verdict> {
  const { input } = judging;
  const { checks } = input.run.config;
  const changes = await sortChanges(judging, input.tip, input.candidate.commit);
  const refused = (await admit(judging, changes)) ?? (await outsideLinks(judging, changes)) ?? dependencyVerdict(judging, changes);
  if (refused) return refused;
  const commit = input.candidate.commit;
  const unit = checks.unit ? [{ name: 'unit', command: checks.unit, wanted: red }] : [];
  const seen = await checkRoom(
    judging,
    { commit, part: 'candidate' },
    { expectations: [...unit, ...expectAll(checks, greenOrEmpty, notJudged)], evidence: none },
  );
  if ('refused' in seen) return seen.refused;
  const without = await checkRoom(judging, withoutNewTests(judging, changes), {
    expectations: unit.map((check) => ({ ...check, wanted: greenOrEmpty })),
    evidence: seen.evidence,
  });
  return 'refused' in without ? without.refused : pass('checks', without.evidence);
}

async function admit({ host, paths }: Judging, changes: Changes): Promise<Verdict | null> {
  if (changes.all.length === 0) return reject('admit', 'nothing was changed: the tdd stage has to add failing tests');
  if (changes.deciding.length > 0) return reject('admit', `configuration that decides pass or fail may not change in tdd: ${names(changes.deciding)}`);
  if (changes.tests.length === 0) return reject('admit', `no test path was touched; changed were ${names(changes.all)}`);
  const weakened: TreeChange[] = [];
  for (const change of changes.tests) if (!(await addedOnly(host.git, paths.engine, change))) weakened.push(change);
  return weakened.length > 0 ? reject('admit', `existing test files may only gain lines: ${names(weakened)}`) : null;
}

function withoutNewTests({ input }: Judging, { tests }: Changes): Parameters<typeof checkRoom>[1] {
  const drop = tests.filter(({ status }) => status === 'added').map(({ path }) => path);
  const paths = tests.filter(({ status }) => status !== 'added').map(({ path }) => path);
  return { commit: input.candidate.commit, part: 'without the new tests', restore: { commit: input.tip, paths }, drop };
}
