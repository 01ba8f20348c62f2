// Owns the closed list of failures: broken plumbing that is thrown, as opposed to outcomes, which are values. Each kind has one retry class.

/** Kinds that may go away by themselves and are retried with backoff. */
export const retryableFailures = ['git_failed', 'disk_failed', 'process_failed', 'unexpected'] as const;
/** Kinds that no retry can mend. */
export const permanentFailures = [
  'repository_unusable',
  'workspace_conflict',
  'control_conflict',
  'branch_moved',
  'ledger_broken',
  'wrong_host',
  'invalid_input',
] as const;

/** Every failure kind. */
export type FailureKind = (typeof retryableFailures)[number] | (typeof permanentFailures)[number];

/** Whether a retry can help. */
export const isRetryable = (kind: FailureKind): boolean => (retryableFailures as readonly string[]).includes(kind);

/** Broken plumbing, thrown by activities and the local stack; the message names thing, expected, found and the next step. */
export class PdlcError extends Error {
  override readonly name = 'PdlcError';
  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
