// Owns the one translation of thrown errors into Temporal failures: the kind travels as `type`, the retry class with it. Nothing is decided by message text.
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { isRetryable, PdlcError } from '../../machines/contract/failure.js';

/** The failure that Temporal records for an error; cancellation passes through untouched. */
export function toFailure(error: unknown): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const known = error instanceof PdlcError ? error : new PdlcError('unexpected', messageOf(error), { cause: error });
  return ApplicationFailure.create({
    type: known.kind,
    message: known.message,
    nonRetryable: !isRetryable(known.kind),
    cause: known.cause instanceof Error ? known.cause : undefined,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
