// Owns running several checks of a room in order: it stops at the first that does not end as wanted, which is what names a rejection.
import type { CheckResult } from '../../machines/contract/check.js';
import type { Command } from '../../machines/contract/config.js';
import type { Verdict } from '../../machines/contract/verdict.js';
import { isSettled } from '../process/control-dir.js';
import { type CheckPlace, checkDir, runCheck } from './check.js';
import { type Evidence, type Judging, reject, rejectCheck, withCheck } from './judging.js';
import { buildRoom, type RoomPlan } from './room.js';
import { saysNoTestsYet } from './test-count.js';

/** What a check's result is held against; the text says what was expected. */
export type Wanted = { text: string; met: (result: CheckResult) => boolean };

/** Green: it passed, and where tests are counted there was at least one. */
export const green: Wanted = { text: 'it to pass', met: ({ kind, tests }) => kind === 'passed' && tests !== 0 };
/** Green, or nothing to run yet: a project may start without a single test. Tests that cannot be loaded are not "none yet". */
export const greenOrEmpty: Wanted = {
  text: 'it to pass',
  met: ({ kind, tests, tail }) => kind === 'passed' || (kind === 'failed' && tests === 0 && saysNoTestsYet(tail)),
};

/** One check to run and what it must say. */
export type Expectation = { name: string; command: Command; wanted: Wanted };

/** The verdict of the first refusal, or the evidence of all being as wanted. */
export type ChecksEnd = { refused: Verdict } | { evidence: Evidence };

/** Builds a room and holds every expectation against it, in order. */
export async function checkRoom(judging: Judging, plan: RoomPlan, at: { expectations: Expectation[]; evidence: Evidence }): Promise<ChecksEnd> {
  const place = placeOf(judging);
  if (at.expectations.length === 0) return { evidence: at.evidence };
  let { evidence } = at;
  let isBuilt = false;
  for (const { name, command, wanted } of at.expectations) {
    const check = { name, command, part: plan.part };
    // After a crash some checks have ended already; the room may by then belong to another one that is still at work.
    if (!isBuilt && !(await isSettled(checkDir(place, check)))) {
      const built = await buildRoom(place, plan, judging.input.run.config.setup);
      if (!built.ok) return { refused: reject('checks', built.reason, { detail: built.tail, evidence }) };
      isBuilt = true;
    }
    const result = await runCheck(place, check);
    evidence = withCheck(evidence, result);
    if (!wanted.met(result)) return { refused: rejectCheck(result, wanted.text, evidence) };
  }
  return { evidence };
}

/** Where a judgement's checks run. */
function placeOf({ host, act, paths, slot, input }: Judging): CheckPlace {
  return { host, act, paths, slot, files: input.run.files };
}

/** All configured checks with the same expectation, except those named. */
export function expectAll(checks: Record<string, Command>, wanted: Wanted, except: readonly string[] = []): Expectation[] {
  return Object.entries(checks).flatMap(([name, command]) => (except.includes(name) ? [] : [{ name, command, wanted }]));
}
