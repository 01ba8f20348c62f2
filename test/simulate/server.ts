// Owns the simulated server of one run: its history, timers and open activities, workers that die and replay, and histories that are continued as new.
import type { RunInput } from '../../machines/contract/run-input.js';
import { featureRun } from '../../workflows/feature-run.js';
import { setClock } from './clock.js';
import { type Command, Execution, type Info, type Job } from './execution.js';
import { answer, type Task, takeOn } from './host.js';
import { firstDifference } from './texts.js';
import type { World } from './world.js';

/** When every simulated run begins, epoch ms. */
const startMs = 1_800_000_000_000;

const ids = { runId: 'run-1', workflowId: 'pdlc/p-1/F1' };

type Turn = { jobs: Job[]; info: Info; nowMs: number; commands: Command[] };

/** One run as its server sees it. */
export class Server {
  nowMs = startMs;
  tasks = new Map<number, Task>();
  timers = new Map<number, number>();
  /** How the run was closed, null while it is open. */
  closed: Command | null = null;
  private execution = this.fresh();
  private turns: Turn[] = [];
  private events = 0;

  constructor(
    private readonly world: World,
    private readonly onTask: (task: Task) => void,
    /** A history is continued as new about once in so many turns. */
    private readonly rolls: number,
  ) {}

  /** Starts the run. */
  async begin(input: RunInput): Promise<void> {
    await this.turn([{ kind: 'start', args: [input] }]);
  }

  /** The run's own report. */
  query(): unknown {
    setClock(this.nowMs);
    return this.execution.query('report');
  }

  /** Lets time pass until something is due, and gives what it is. */
  nextDue(): Job[] {
    this.nowMs = this.nextDueMs();
    const jobs: Job[] = [];
    for (const [seq, dueMs] of this.timers) {
      if (dueMs > this.nowMs) continue;
      this.timers.delete(seq);
      jobs.push({ kind: 'fire', seq });
    }
    for (const task of this.tasks.values()) {
      if (task.dueMs > this.nowMs) continue;
      const job = answer(this.world, task, this.nowMs);
      if (!job) continue;
      this.tasks.delete(task.seq);
      jobs.push(job);
    }
    return jobs;
  }

  /** When the next thing is due, epoch ms. */
  nextDueMs(): number {
    return Math.min(...this.timers.values(), ...[...this.tasks.values()].map(({ dueMs }) => dueMs));
  }

  /** Has the workflow do what follows from these jobs. */
  async turn(jobs: Job[]): Promise<void> {
    const info = { continueAsNewSuggested: this.world.chance.once(this.rolls), historyLength: this.events, ...ids };
    setClock(this.nowMs);
    const commands = await this.execution.activate(jobs.map(decoded), info);

    this.events += 3 + jobs.length + commands.length;
    this.turns.push({ jobs, info, nowMs: this.nowMs, commands });
    for (const command of commands) this.apply(command);
    const end = commands.find(({ kind }) => kind === 'continued');
    if (end?.kind === 'continued') await this.goOn(end.args);
  }

  /** The worker dies: another one does the whole history again, and must ask for the same. */
  async crash(): Promise<void> {
    this.execution = this.fresh();
    for (const { jobs, info, nowMs, commands } of this.turns) {
      setClock(nowMs);
      const [one, other] = [textOf(commands), textOf(await this.execution.activate(jobs.map(decoded), info))];
      if (one !== other) this.world.find('replay gives the same commands', firstDifference(one, other));
    }
  }

  private apply(command: Command): void {
    switch (command.kind) {
      case 'activity': {
        const task = takeOn(this.world, command, this.nowMs);
        this.tasks.set(task.seq, task);
        this.onTask(task);
        return;
      }
      case 'activity.cancel': {
        const task = this.tasks.get(command.seq);
        if (task) Object.assign(task, { isCancelled: true, dueMs: Math.min(task.dueMs, this.nowMs + 1_000) });
        return;
      }
      case 'timer':
        this.timers.set(command.seq, this.nowMs + command.ms);
        return;
      case 'timer.cancel':
        this.timers.delete(command.seq);
        return;
      case 'attributes':
        return;
      default:
        if (this.tasks.size > 0) this.world.find('nothing is left behind', `${command.kind} while an act is under way`);
        if (command.kind !== 'continued') this.closed = command;
    }
  }

  private async goOn(args: unknown[]): Promise<void> {
    this.execution = this.fresh();
    this.turns = [];
    this.timers.clear();
    this.events = 0;
    await this.turn([{ kind: 'start', args: copied(args) }]);
  }

  private fresh(): Execution {
    return new Execution(featureRun);
  }
}

/** Commands as text, without the input of the run, which is long and in every one of them. */
function textOf(commands: Command[]): string {
  return JSON.stringify(
    commands.map((command) => (command.kind === 'activity' ? { ...command, input: { ...(command.input as object), run: null } } : command)),
  );
}

/** As every execution gets it: what one of them does to what it was started with is not seen by the next. */
function decoded(job: Job): Job {
  return job.kind === 'start' ? { kind: 'start', args: [job.args[0], ...copied(job.args.slice(1))] } : job;
}

function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
