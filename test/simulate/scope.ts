// Owns cancellation in the stand-in for `@temporalio/workflow`: scopes, and the failures by which it is known. Behaves as the SDK's.
// Without a hook on every promise: the execution lets one waiter go on at a time, so that the scope of whoever runs is known.

/** Lets something go on in a scope, as soon as all that goes on now stands still. */
type GoOn = (scope: CancellationScope, go: () => void) => void;

let current: CancellationScope | null = null;
let goOn: GoOn = () => undefined;

/** From now on, what runs belongs to this scope; `later` is where waiters are let go on. */
export function enterScope(scope: CancellationScope, later: GoOn): void {
  current = scope;
  goOn = later;
}

/** As the SDK's. */
export class CancelledFailure extends Error {}
/** As the SDK's: what an activity that failed for good is awaited with. */
export class ActivityFailure extends Error {
  constructor(
    override readonly cause: Error,
    readonly activityType: string,
  ) {
    super('Activity task failed');
  }
}
/** As the SDK's: every kind of cancellation, in an activity or here. */
export const isCancellation = (error: unknown): boolean =>
  error instanceof CancelledFailure || (error instanceof ActivityFailure && error.cause instanceof CancelledFailure);
/** As the SDK's. */
export const rootCause = (error: unknown): string | undefined => (error instanceof ActivityFailure ? error.cause.message : undefined);

/** As the SDK's, without time limits. */
export class CancellationScope {
  readonly cancellable: boolean;
  private requested = false;
  private readonly waiters: ((error: Error) => void)[] = [];
  constructor({ cancellable = true, parent }: { cancellable?: boolean; parent?: CancellationScope | null } = {}) {
    this.cancellable = cancellable;
    const above = parent === undefined ? CancellationScope.current() : parent;
    if (!above?.cancellable || !cancellable) return;
    this.requested = above.requested;
    above.waiters.push(() => this.cancel());
  }

  get consideredCancelled(): boolean {
    return this.requested && this.cancellable;
  }

  /** Calls back when the scope is cancelled; at once when it is already. */
  onCancel(back: (error: Error) => void): void {
    if (this.consideredCancelled) goOn(this, () => back(new CancelledFailure('cancelled')));
    else if (this.cancellable) this.waiters.push((error) => goOn(this, () => back(error)));
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const outer = current;
    // What `work` goes on with after its first wait comes after this, what the caller does without waiting comes before.
    queueMicrotask(() => {
      current = this;
    });
    current = this;
    const working = work();
    current = outer;
    try {
      return await working;
    } finally {
      current = outer;
    }
  }

  cancel(): void {
    if (this.requested) return;
    this.requested = true;
    for (const waiter of this.waiters.splice(0)) waiter(new CancelledFailure('cancelled'));
  }

  static current(): CancellationScope {
    if (!current) throw new Error('no workflow is under way');
    return current;
  }

  static nonCancellable<T>(work: () => Promise<T>): Promise<T> {
    return new CancellationScope({ cancellable: false }).run(work);
  }
}
