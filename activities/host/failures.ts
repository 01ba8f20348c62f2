// Owns the one translation of thrown errors into Temporal failures: the kind travels as `type`, the retry class with it. Nothing is decided by message text.
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { isRetryable, PdlcError } from '../../machines/contract/failure.js';
import { hasCode } from './files.js';

/** System error codes that speak of a disk, not of what was asked of it. */
const diskCodes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/** What is known around an error: `disk` says what is wrong with a disk that the act writes to (null: nothing), `isLast` that it was tried often enough. */
type Around = { disk: string | null; isLast: boolean };

/** The failure that Temporal records for an error; cancellation passes through untouched. A disk that takes no writes is waited for, everything else only so often. */
export function toFailure(error: unknown, { disk, isLast }: Around = { disk: null, isLast: false }): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const known = knownError(error, disk);
  return ApplicationFailure.create({
    type: known.kind,
    message: known.message,
    nonRetryable: !isRetryable(known.kind) || (isLast && known.kind !== 'disk_failed'),
    cause: known.cause instanceof Error ? known.cause : undefined,
  });
}

function knownError(error: unknown, disk: string | null): PdlcError {
  if (error instanceof PdlcError && (error.kind === 'disk_failed' || !isRetryable(error.kind))) return error;
  if (disk) return new PdlcError('disk_failed', `${disk} (${messageOf(error)})`, { cause: error });
  if (error instanceof PdlcError) return error;
  return new PdlcError(hasCode(error, ...diskCodes) ? 'disk_failed' : 'unexpected', messageOf(error), { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
