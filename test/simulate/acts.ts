// Owns what each activity does to the simulated world, and what it answers. Each may be repeated, as the real ones may.
import type {
  AgentInput,
  AgentResult,
  CaptureInput,
  JudgeInput,
  PrepareInput,
  PrepareResult,
  PublishInput,
  PublishResult,
  ReleaseInput,
  ReleaseResult,
} from '../../machines/contract/activities.js';
import type { AgentOutcome, Capture } from '../../machines/contract/attempt.js';
import type { LedgerEntry } from '../../machines/contract/ledger.js';
import { nextStepAfter } from '../../machines/contract/stage.js';
import type { Usage } from '../../machines/contract/usage.js';
import { groundFaults, type Verdict } from '../../machines/contract/verdict.js';
import type { Process, World } from './world.js';

/** Broken plumbing that no retry mends. */
export class PermanentFailure extends Error {}

/** What an agent's end says, and whether it is the agent's own doing; written down here anew and not asked of the code under test. */
const ends = ['finished', 'failed', 'signalled', 'timed_out', 'silent', 'flooded', 'lost', 'cancelled', 'limited', 'needs_login', 'misconfigured'] as const;
const charged: readonly string[] = ['finished', 'failed', 'signalled', 'timed_out', 'silent', 'flooded'];

/** The ground before a stage. */
export function prepare({ chance }: World, { proveGround }: PrepareInput): PrepareResult {
  const tree = '/tree';
  const notices = chance.once(8) ? ['unit found no tests on the base'] : [];
  if (chance.once(25)) return { tree, ground: { kind: 'failed', fault: chance.pick(groundFaults), reason: 'the ground is bad', checks: [] }, notices };
  return { tree, ground: proveGround ? { kind: 'proved', checks: [] } : { kind: 'skipped' }, notices };
}

/** The end of an agent that began as `process`; now and then its capture fails, and is left to the act of that name. */
export function agent(world: World, { process, input, nowMs }: { process: Process; input: AgentInput; nowMs: number }): AgentResult {
  const { chance } = world;
  const kind = chance.below(10) < 7 ? 'finished' : chance.pick(ends);
  if (!chance.once(6)) world.content = chance.below(50);
  const usage = drawUsage(world);
  const isCharged = charged.includes(kind);
  world.end(process, usage, isCharged);
  return {
    capture: isCharged && !chance.once(8) ? capture(world, { ...input, ...input.work, author: 'agent' }) : null,
    outcome: outcomeOf(kind, { usage, durationMs: 60_000, lastWords: 'all tests pass' }, chance.once(2) ? nowMs + 3_600_000 : null),
    swept: chance.below(2),
  };
}

function outcomeOf(kind: AgentOutcome['kind'], facts: { usage: Usage; durationMs: number; lastWords: string }, until: number | null): AgentOutcome {
  switch (kind) {
    case 'failed':
      return { kind, exitCode: 1, ...facts };
    case 'signalled':
      return { kind, signal: 9, ...facts };
    case 'limited':
      return { kind, until, ...facts };
    case 'misconfigured':
      return { kind, reason: 'no such program', ...facts };
    default:
      return { kind, ...facts };
  }
}

function drawUsage({ chance }: World): Usage {
  const usd = chance.pick([0.1, 0.1, 0.1, 1.25, 1.25, 6, null]);
  return { usd, tokens: usd === null ? null : { in: 500, out: 100, cacheRead: 0, cacheWrite: 0 } };
}

/** The engine's commit of the tree. */
export function capture(world: World, { author, parent, tip }: CaptureInput): Capture {
  if (world.alive > 0) world.find('swept before captured', 'an agent still lives');
  if (author === 'person' && world.chance.once(2)) world.content = world.chance.below(50);
  const { content } = world;
  const changed = content !== world.commitOf(tip).content;
  const commit = world.commit({ parent, content, isState: false });
  return {
    commit,
    tree: `t${content}`,
    changed,
    files: changed ? ['src/a.js'] : [],
    filesTotal: changed ? 1 : 0,
    omitted: [],
    agentCommits: 0,
    stateTamper: false,
  };
}

/** One verdict; an evaluator costs money. `evaluator` is its process where the stage has one. */
export function judge(world: World, { at, candidate, allowDependencies }: JudgeInput, evaluator: Process | null): Verdict {
  const { chance } = world;
  const usage = evaluator ? [drawUsage(world)] : [];
  if (evaluator) world.end(evaluator, usage[0] ?? null);
  const gate = evaluator ? 'evaluate' : 'checks';
  const card = evaluator ? { commit: candidate.commit, summary: 'seen', findings: [] } : null;
  const evidence: Pick<Verdict, 'gate' | 'checks' | 'card' | 'usage'> = { gate, checks: [], card, usage };
  const kind = chance.below(10) < 6 ? 'pass' : chance.pick(['reject', 'reject', 'tampered', 'choice', 'unknown'] as const);
  const path = 'package.json';
  switch (kind) {
    case 'pass':
      world.commitOf(candidate.commit).passed.add(at.stage);
      return { kind, ...evidence };
    case 'tampered':
      return { kind, reason: 'a sealed test changed', paths: [{ path, expected: null, found: null }], ...evidence };
    case 'choice':
      if (!allowDependencies) return { kind, reason: 'package.json changed', paths: [path], ...evidence };
      return { kind: 'unknown', reason: 'no verdict came', ...evidence };
    case 'reject':
      return { kind, reason: 'unit failed (exit 1)', feedback: 'the tail', ...evidence };
    case 'unknown':
      return { kind, reason: 'no verdict came', ...evidence };
  }
}

/** Writes the ledger and, at the end of a stage, the state file and the branch. */
export function publish(world: World, { run, at, entries, settle }: PublishInput): PublishResult {
  append(world, entries);
  if (!settle || !at) return { head: null, moved: false, nextStep: null, treeAtHead: false };
  const { record, tip, from } = settle;
  const verified = world.commitOf(tip).passed.has(at.stage);
  if (record.ok && !verified) world.find('only verified commits', `${at.stage} passed with ${tip}, which no verdict let pass`);
  if (!record.ok && tip !== from) world.find('only verified commits', `a stage that was stopped publishes ${tip}`);
  const key = `state ${at.step} ${tip}`;
  const head = String(world.results.get(key) ?? world.commit({ parent: tip, content: world.commitOf(tip).content, isState: true }));
  world.results.set(key, head);
  // Somebody else writes to the branch, once in a while.
  if (world.chance.once(300)) world.branch = world.commit({ parent: world.branch, content: 99, isState: true });
  const expected = from === run.tip ? run.branchTip : from;
  if (world.branch !== head && world.branch !== expected) throw new PermanentFailure('branch_moved');
  world.branch = head;
  const natural = record.ok ? nextStepAfter(at.stage) : `pdlc-${at.stage}`;
  const nextStep = world.chance.once(40) ? world.chance.pick([null, 'pdlc-tdd', 'pdlc-review', 'pdlc-design', 'pdlc-ship']) : natural;
  return { head, moved: !world.chance.once(40), nextStep, treeAtHead: record.ok && world.chance.below(4) > 0 };
}

/** The end of a run on its host. */
export function release(world: World, { entries }: ReleaseInput): ReleaseResult {
  append(world, entries);
  if (world.alive > 0) world.find('no process outlives its attempt', 'an agent lives at the end of the run');
  return { savedRef: world.chance.once(3) ? 'refs/pdlc/saved/F1' : null, leftOut: null };
}

function append(world: World, entries: readonly LedgerEntry[]): void {
  const problem = world.append(entries);
  if (problem === null) return;
  world.find('the ledger has no gap and no duplicate', problem);
  throw new PermanentFailure(`ledger_broken: ${problem}`);
}
