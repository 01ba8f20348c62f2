// Owns the port between workflows and activities: names, inputs and results. Workflows know activities only through this file.
// Every result is small: ids, counts and bounded tails; logs, diffs and prompts stay files on the host.
import type { AgentOutcome, Capture, Role } from './attempt.js';
import type { Card } from './card.js';
import type { LedgerEntry } from './ledger.js';
import type { RunInput } from './run-input.js';
import type { Stage } from './stage.js';
import type { StageRecord } from './state-file.js';
import type { Ground, Verdict } from './verdict.js';

/** What every activity gets: the run it works for. `runKey` (Temporal's first run id) names the run's folder on the host. */
export type ForRun = { run: RunInput; runKey: string };

/** Position inside a run: which stage, dispatched as which step, and which attempt; `tries` counts starts that were not the agent's fault. */
export type AttemptRef = { stage: Stage; step: number; attempt: number; tries: number };

/** The activity ids and the ref of one attempt share this stem; a start that was not charged gets a mark of its own. */
export function attemptId(at: AttemptRef): string {
  return `${at.stage}-${at.step}-${at.attempt}${at.tries > 0 ? `r${at.tries}` : ''}`;
}

/** `tip` is the branch's last verified commit, at which the stage is entered; `entry` judge: the kept tree's content is a person's work and stays. */
export type PrepareInput = ForRun & { at: AttemptRef; tip: string; entry: 'work' | 'judge'; proveGround: boolean };

/** Where the agent works (absolute path on the host) and what the ground said; `notices` are sentences for the person. */
export type PrepareResult = { tree: string; ground: Ground; notices: string[] };

/** Commits what is in the tree as `author` (the agent's attempt, or a person's work on a kept tree); `atMs` dates the commit. */
export type CaptureInput = ForRun & { at: AttemptRef; author: 'agent' | 'person'; parent: string; tip: string; atMs: number };

/** `work` says how its work is captured, `rejection` is the refusing gate's bounded text for a repair, `restore` are tampered paths to put back first, `notes` come from a person, `last`: no attempt is left after this. */
export type AgentInput = ForRun & {
  at: AttemptRef;
  work: Pick<CaptureInput, 'parent' | 'tip' | 'atMs'>;
  role: Role;
  rejection: string | null;
  restore: { commit: string; paths: string[] } | null;
  notes: string[];
  last: boolean;
};

/** What is judged: a capture, or the tip when nobody has worked on it since it was verified. */
export type Candidate = Pick<Capture, 'commit' | 'changed' | 'files'>;

/**
 * Judges a candidate against its stage's contract. `tip` is the verified commit at stage entry, `seal` the commit whose deciding files must be unchanged (the
 * tip, or a person's own commit after a reseal), `verified` the commit whose checks this run has already seen green, or null; `previous` the card that a fixer just answered, `at.attempt` 0 means that no agent
 * has worked on the stage yet; `allowDependencies`: a person allowed changed manifests.
 */
export type JudgeInput = ForRun & {
  at: AttemptRef;
  candidate: Candidate;
  tip: string;
  seal: string;
  verified: string | null;
  previous: Card | null;
  allowDependencies: boolean;
};

/** Appends ledger entries and, when a stage ended, writes the state files in a commit of their own, moves the user's branch, and takes the tree there if the stage passed. */
export type PublishInput = ForRun & { at: AttemptRef | null; entries: LedgerEntry[]; settle: { record: StageRecord; tip: string; from: string } | null };

/** That the ledger was damaged and how it was mended, in words; absent: it was sound. */
type Repaired = { repaired?: string };

/** `head` is the branch's new tip; `moved` and `nextStep` are read back from the written state, never assumed; `treeAtHead`: the tree stands there, ready for the next stage. */
export type PublishResult = Repaired & { head: string | null; moved: boolean; nextStep: string | null; treeAtHead: boolean };

/** Closes a run: leftovers of the tree are saved under a ref of the user's repository, then the tree is removed. */
export type ReleaseInput = ForRun & { tip: string; entries: LedgerEntry[]; final: string };

/** The ref that holds what was left in the tree, and the folder with files that are never committed (secrets, huge ones, other repositories); null: nothing of it. */
export type ReleaseResult = Repaired & { savedRef: string | null; leftOut: string | null };

/** The agent's outcome after its whole process tree is gone; `swept` counts processes that it had left behind; `capture` is null when there is nothing to judge, or when capturing failed and is still to be done. */
export type AgentResult = { outcome: AgentOutcome; swept: number; capture: Capture | null };

/** Two readings of a host's own clock, in ms since its boot `boot`: when an act began and when it ended. */
export type ClockReading = { boot: string; beganMs: number; endedMs: number };

/** What comes along with every result of a host. */
export type Clocked = { clock: ClockReading };

/** Everything a workflow can have done on a host; `clock` only reads the time, as each of them does. Each one may be repeated: a second call finds or repeats the first one's effect. */
export interface Activities {
  prepare(input: PrepareInput): Promise<PrepareResult>;
  agent(input: AgentInput): Promise<AgentResult>;
  capture(input: CaptureInput): Promise<Capture>;
  judge(input: JudgeInput): Promise<Verdict>;
  publish(input: PublishInput): Promise<PublishResult>;
  release(input: ReleaseInput): Promise<ReleaseResult>;
  clock(input: ForRun): Promise<object>;
}
