// Owns the one error of the local stack.
// Never decides by message text: callers look at `kind`.

/** Why the local stack could not be brought to the wanted state. */
export type StackErrorKind = 'no_binary' | 'server_failed' | 'worker_failed' | 'busy' | 'unstoppable';

/** Broken plumbing of the local stack; the message says what was expected, what was found and the next command. */
export class StackError extends Error {
  override readonly name = 'StackError';
  readonly kind: StackErrorKind;

  constructor(kind: StackErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
