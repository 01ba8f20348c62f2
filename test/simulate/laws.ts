// Owns the laws of a run while it goes on: what it says is held against the world's truth at every moment, when an agent begins, at rest and at the end.
import type { AgentInput, JudgeInput } from '../../machines/contract/activities.js';
import { type Report, reportOf } from '../../machines/contract/report.js';
import { isFinal, isWaiting, type RunState } from '../../machines/contract/run-state.js';
import type { Task } from './host.js';
import type { People } from './people.js';
import { readBack } from './record.js';
import { firstDifference } from './texts.js';
import type { World } from './world.js';

/** How far a deadline may be passed when an agent begins, in ms: a stretch that begins too late is noticed by its clock at once, but not before. */
const deadlineSlackMs = 60_000;

/** The laws of one run. */
export class Laws {
  private last: Report | null = null;
  private readonly due = new Set<string>();
  private readonly told = new Set<string>();
  private begun: Task[] = [];
  private activeMs = 0;
  private lastMs: number | null = null;

  constructor(
    private readonly world: World,
    private readonly people: People,
  ) {}

  /** An activity was asked for. */
  task(task: Task): void {
    this.begun.push(task);
  }

  /** After every turn. */
  moment(report: Report, nowMs: number): void {
    const { world, last } = this;
    if (this.lastMs !== null && last && !isWaiting(last.state)) this.activeMs += nowMs - this.lastMs;
    this.lastMs = nowMs;
    for (const task of this.begun.splice(0)) this.begins(task, report);
    for (const { id, command, accepted } of report.commands) {
      const words = this.people.asked.get(id)?.words;
      if (command === 'note' && accepted && words && !this.told.has(words)) this.due.add(words);
    }
    if (last && report.spend.usdKnown < last.spend.usdKnown) world.find('the spend never decreases', `${last.spend.usdKnown} then ${report.spend.usdKnown}`);
    if (last && report.seq < last.seq) world.find('the report never goes back', `seq ${last.seq} then ${report.seq}`);
    if (report.stepsUsed > report.limits.steps) world.find('steps never pass their cap', `${report.stepsUsed} of ${report.limits.steps}`);
    this.spend(report);
    this.last = report;
  }

  /** When nothing is under way; `isWritten`: nothing kept the ledger from being written. */
  rest(report: Report, isWritten: boolean): void {
    const { world } = this;
    if (!isWaiting(report.state)) world.find('a run ends or waits for a person', `nothing is under way in ${report.state}`);
    if (world.alive > 0) world.find('no process outlives its attempt', `an agent lives in ${report.state}`);
    if (isWritten && world.ledger.length !== report.seq)
      world.find('all is written when nothing is under way', `${world.ledger.length} of ${report.seq} entries`);
    if (isWritten && world.isThorough) this.same(report);
  }

  /** When the run is closed; `answered` by its own last report. */
  end(report: Report, isWritten: boolean): void {
    const { world } = this;
    if (!isFinal(report.state)) world.find('a run ends or waits for a person', `closed in ${report.state}`);
    if (world.alive > 0) world.find('no process outlives its attempt', 'an agent lives after the end');
    // What was asked while the run was let go of is answered, and no longer written.
    if (isWritten && !report.commands.some(({ detail }) => detail === 'the run is over')) this.same(report);
    if (report.state !== 'review_done' && report.state !== 'done_unverified') return;
    if ((report.state === 'done_unverified') !== world.input.honor) world.find('unverified is never done', report.state);
    const tip = world.commits.get(world.commitOf(report.head).parent ?? '');
    if (!tip?.passed.has('review')) world.find('done only after review passed in this run', `head ${report.head}`);
    if (world.branch !== report.head && !world.commitOf(world.branch ?? '').isState) world.find('the branch is at the head', String(world.branch));
  }

  private begins({ name, input, id }: Task, report: Report): void {
    if (name === 'judge') {
      const { at, candidate } = input as JudgeInput;
      if (at.stage !== report.stage) this.world.find('one stage at a time', `${id} in ${report.stage}`);
      this.world.commitOf(candidate.commit);
    }
    if (name !== 'agent') return;
    const { notes, at } = input as AgentInput;
    const { limits, spend } = report;
    if (spend.usdKnown >= limits.usd) this.world.find('no agent begins over the budget', `${spend.usdKnown} of ${limits.usd}`);
    if (this.activeMs > limits.deadline + deadlineSlackMs)
      this.world.find('no agent begins after the deadline', `${id} after ${this.activeMs} of ${limits.deadline} ms`);
    if (new Set(notes).size < notes.length) this.world.find('nobody’s signal counts twice', `notes ${notes.join(', ')}`);
    for (const words of this.due) if (!notes.includes(words)) this.world.find('a note goes into the next prompt', `${words} is not told to ${id}`);
    for (const words of notes) this.told.add(words);
    this.due.clear();
    const used = this.world.processes.filter((process) => process.at.step === at.step && process.charged).length;
    if (at.attempt > used + 1) this.world.find('only what the agent did is charged', `${id} begins with ${used} charged`);
  }

  private spend({ usage }: Report): void {
    const ended = this.world.processes.filter((process) => process.isOver);
    const known = ended.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
    if (usage.usdKnown > known + 1e-6) this.world.find('the spend is no more than it was', `${usage.usdKnown} of ${known}`);
    if (this.isTold(ended) && usage.usd !== null && Math.abs(usage.usd - known) > 1e-6)
      this.world.find('the spend is the world’s or unknown', `${usage.usd} of ${known}`);
    if (this.isTold(ended) && usage.usd !== null && ended.some(({ usd }) => usd === null)) this.world.find('unknown is never zero', `${usage.usd}`);
  }

  /** What ended an instant ago is told with the next turn. */
  private isTold(ended: readonly { isTold: boolean }[]): boolean {
    return ended.every(({ isTold }) => isTold);
  }

  /** What the ledger tells is what the run itself says. */
  same(report: Report): void {
    const { world } = this;
    const rebuilt = reportOf(readBack(world));
    const [one, other] = [plain(report), plain(rebuilt)];
    if (one !== other) world.find('the report rebuilt from the ledger is the live one', firstDifference(one, other));
  }
}

/** A report without what only the live one knows: the attempt under way, and notices from the very end. */
function plain(report: Report): string {
  const state: RunState = report.state;
  return JSON.stringify({ ...report, state, attempt: 0, notices: [] });
}
