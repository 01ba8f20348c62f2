// Owns one execution of a workflow in memory: jobs in (a signal, a result, a timer), commands out, in the SDK's order of things.
// Must never decide what happens: that is the simulated server's.
import { ActivityFailure, CancellationScope, enterScope, isCancellation } from './scope.js';

/** One activity that the workflow asks for; `maximumAttempts` is its retry policy's. */
export type ActivityCommand = { kind: 'activity'; seq: number; name: string; id: string; input: unknown; maximumAttempts: number };
/** What a workflow asks of the server. */
export type Command =
  | ActivityCommand
  | { kind: 'activity.cancel'; seq: number }
  | { kind: 'timer'; seq: number; ms: number }
  | { kind: 'timer.cancel'; seq: number }
  | { kind: 'attributes'; shown: unknown[] }
  | { kind: 'continued'; args: unknown[] }
  | { kind: 'completed'; result: unknown }
  | { kind: 'cancelled' }
  | { kind: 'broken'; error: string };

/** What the server tells a workflow. A failure is the cause inside of an `ActivityFailure`. */
export type Job =
  | { kind: 'start'; args: unknown[] }
  | { kind: 'signal'; name: string; args: unknown[] }
  | { kind: 'cancel' }
  | { kind: 'fire'; seq: number }
  | { kind: 'resolve'; seq: number; result: unknown }
  | { kind: 'fail'; seq: number; failure: Error };

/** One who waits for a timer or an activity. */
export type Waiter = { scope: CancellationScope; resolve: (value: unknown) => void; reject: (error: unknown) => void };
/** What a workflow may know of its execution. */
export type Info = { continueAsNewSuggested: boolean; historyLength: number; runId: string; workflowId: string };
type Workflow = (...args: never[]) => Promise<unknown>;

/** One history of one workflow: what it waits for and what it has asked for since it was last looked at. */
export class Execution {
  readonly root = new CancellationScope({ parent: null });
  readonly timers = new Map<number, Waiter>();
  readonly activities = new Map<number, Waiter & { name: string; id: string }>();
  readonly conditions = new Map<number, Waiter & { met: () => boolean }>();
  readonly handlers = new Map<string, (...args: unknown[]) => unknown>();
  private readonly next: { scope: CancellationScope; go: () => void }[] = [];
  buffered: { name: string; args: unknown[] }[] = [];
  commands: Command[] = [];
  info: Info = { continueAsNewSuggested: false, historyLength: 0, runId: '', workflowId: '' };
  seq = 0;
  constructor(readonly workflow: Workflow) {}

  /** Does the jobs as the SDK does, in order, until the workflow stands still; gives what it asked for. */
  async activate(jobs: readonly Job[], info: Info): Promise<Command[]> {
    enter(this);
    this.info = info;
    this.commands = [];
    for (const job of jobs) {
      if (job.kind !== 'start') this.take(job);
      this.unblock();
    }
    for (const job of jobs) if (job.kind === 'start') this.start(job.args);
    await settled();
    do await this.letGoOn();
    while (this.unblock() > 0);
    return this.commands;
  }

  /** Whatever runs now runs in this scope. */
  enter(scope: CancellationScope): void {
    enterScope(scope, (of, go) => this.next.push({ scope: of, go }));
  }

  /** Answers a query; works at any moment between activations. */
  query(name: string): unknown {
    enter(this);
    return this.handlers.get(name)?.();
  }

  /** Hands a signal to its handler, or keeps it for the handler to come. */
  signal(name: string, args: unknown[]): void {
    const handler = this.handlers.get(name);
    if (handler) handler(...args);
    else this.buffered.push({ name, args });
  }

  /** One at a time, until nobody is left who could go on. */
  private async letGoOn(): Promise<void> {
    for (let next = this.next.shift(); next; next = this.next.shift()) {
      this.enter(next.scope);
      next.go();
      await settled();
    }
    this.enter(this.root);
  }

  private take(job: Exclude<Job, { kind: 'start' }>): void {
    if (job.kind === 'signal') this.signal(job.name, job.args);
    else if (job.kind === 'cancel') this.root.cancel();
    else this.answer(job);
  }

  private answer(job: Extract<Job, { seq: number }>): void {
    const from = job.kind === 'fire' ? this.timers : this.activities;
    const waiter = from.get(job.seq);
    // What was cancelled in the same breath is no longer waited for.
    if (!waiter) return;
    from.delete(job.seq);
    const { scope } = waiter;
    if (job.kind === 'fail') this.next.push({ scope, go: () => waiter.reject(new ActivityFailure(job.failure, this.nameOf(waiter))) });
    else this.next.push({ scope, go: () => waiter.resolve(job.kind === 'resolve' ? job.result : undefined) });
  }

  private nameOf(waiter: Waiter): string {
    return 'name' in waiter ? String(waiter.name) : '';
  }

  private start(args: unknown[]): void {
    this.workflow(...(args as never[])).then(
      (result) => this.commands.push({ kind: 'completed', result }),
      (error) => this.commands.push(endOf(error)),
    );
  }

  private unblock(): number {
    let count = 0;
    for (const [seq, { met, resolve, scope }] of this.conditions) {
      if (!met()) continue;
      this.conditions.delete(seq);
      this.next.push({ scope, go: () => resolve(undefined) });
      count += 1;
    }
    return count;
  }
}

let current: Execution | null = null;

function enter(execution: Execution): void {
  current = execution;
  execution.enter(execution.root);
}

/** The execution whose code runs now. */
export function currentExecution(): Execution {
  if (!current) throw new Error('no workflow is under way');
  return current;
}

/** A tick begins only when no promise is left to go on, and costs no turn of the event loop. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

function endOf(error: unknown): Command {
  if (error instanceof ContinueAsNew) return { kind: 'continued', args: error.args };
  if (isCancellation(error)) return { kind: 'cancelled' };
  return { kind: 'broken', error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** As the SDK's. */
export class ContinueAsNew extends Error {
  constructor(readonly args: unknown[]) {
    super('continued as new');
  }
}
