// Owns the truth of a simulated run: processes and what they cost, commits, the branch, the ledger file. The laws hold what a run says against it.
// Must never ask the workflow what happened.
import type { AttemptRef } from '../../machines/contract/activities.js';
import type { LedgerEntry } from '../../machines/contract/ledger.js';
import type { RunInput } from '../../machines/contract/run-input.js';
import type { Stage } from '../../machines/contract/stage.js';
import type { Usage } from '../../machines/contract/usage.js';
import type { Chance } from './chance.js';

/** A commit: what its tree holds (a number per content) and which stages' contracts it was truly found to fulfil; a state commit only adds the engine's files. */
export type Commit = { parent: string | null; content: number; passed: Set<Stage>; isState: boolean };

/** One agent or evaluator process; `usd` null: it never told what it cost, `charged` whether its end is the agent's own doing,
 * `isTold` whether its run was given the answer of its act, or of the act's end. */
export type Process = { id: string; role: 'agent' | 'evaluator'; at: AttemptRef; usd: number | null; charged: boolean; isOver: boolean; isTold: boolean };

/** What is really there. */
export class World {
  readonly findings: string[] = [];
  readonly processes: Process[] = [];
  readonly ledger: LedgerEntry[] = [];
  readonly commits = new Map<string, Commit>();
  /** Results by activity: what a control directory, a ref or a ledger makes of a repeat. */
  readonly results = new Map<string, unknown>();
  /** Every act that was ever asked for. */
  readonly taken = new Set<string>();
  branch: string | null;
  content = 0;
  alive = 0;
  private made = 0;
  /** What is written was kept from the ledger by a failure. */
  isWritten = true;
  /** One in a few runs is looked at through text and schema as well. */
  readonly isThorough: boolean;
  /** Whether results bring a reading of the host's clock. */
  readonly hasClock: boolean;

  constructor(
    readonly input: RunInput,
    readonly chance: Chance,
  ) {
    this.isThorough = chance.once(50);
    this.hasClock = !chance.once(4);
    this.branch = input.branchTip;
    this.commits.set(input.base, { parent: null, content: 0, passed: new Set(), isState: false });
    this.commits.set(input.tip, { parent: null, content: 0, passed: new Set(), isState: false });
  }

  /** Something that must never be. */
  find(law: string, found: string): void {
    this.findings.push(`${law}: ${found}`);
  }

  /** A process begins; from now on it may cost money. */
  begin(id: string, role: Process['role'], at: AttemptRef): Process {
    if (this.alive > 0) this.find('at most one agent ever', `${id} began while another lived`);
    if (this.processes.some((process) => process.id === id)) this.find('one start per attempt', `${id} began twice`);
    this.alive += 1;
    const process: Process = { id, role, at, usd: null, charged: false, isOver: false, isTold: false };
    this.processes.push(process);
    return process;
  }

  /** A process is gone and said this. */
  end(process: Process, usage: Usage | null, charged = false): void {
    this.alive -= 1;
    process.usd = usage?.usd ?? null;
    process.charged = charged;
    process.isOver = true;
  }

  /** Makes a commit with a name of its own. */
  commit(commit: Omit<Commit, 'passed'>): string {
    this.made += 1;
    const id = this.made.toString(16).padStart(40, '0');
    this.commits.set(id, { ...commit, passed: new Set() });
    return id;
  }

  /** The commit of that name, which must be there. */
  commitOf(id: string): Commit {
    const commit = this.commits.get(id);
    if (!commit) throw new Error(`the workflow named a commit that was never made: ${id}`);
    return commit;
  }

  /** Writes as the ledger does: what is there is skipped when it is the same, and nothing is left out. Says what is wrong, or null. */
  append(entries: readonly LedgerEntry[]): string | null {
    for (const entry of entries) {
      const there = this.ledger[entry.seq - 1];
      if (there && JSON.stringify(there) !== JSON.stringify(entry)) return `seq ${entry.seq} is another one than before`;
      if (there) continue;
      if (entry.seq !== this.ledger.length + 1) return `expected seq ${this.ledger.length + 1}, found ${entry.seq}`;
      this.ledger.push(entry);
    }
    return null;
  }
}
