// Guarantees of failures: every kind travels as a type with its retry class, the cause goes along, and nothing is decided by a message.
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { toFailure } from '../../../activities/host/failures.js';
import { type FailureKind, PdlcError, permanentFailures, retryableFailures } from '../../../machines/contract/failure.js';

const kinds = [...retryableFailures.map((kind) => [kind, false] as const), ...permanentFailures.map((kind) => [kind, true] as const)];

test.each<readonly [FailureKind, boolean]>(kinds)('%s', (kind, nonRetryable) => {
  const cause = new Error('below');
  expect(toFailure(new PdlcError(kind, 'what happened', { cause }))).toMatchObject({ type: kind, message: 'what happened', nonRetryable, cause });
});

test.each<[unknown, string]>([
  [new Error('boom'), 'boom'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [null, 'null'],
])('what is no failure of ours is unexpected and tried again: %j', (thrown, message) => {
  const failure = toFailure(thrown);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'unexpected', message, nonRetryable: false });
});

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])('%s is a disk that failed, whoever met it', (code) => {
  expect(toFailure(Object.assign(new Error('write'), { code }))).toMatchObject({ type: 'disk_failed', nonRetryable: false });
});

test('what fails on a disk that takes no writes is that disk’s failure, unless nothing could mend it', () => {
  const around = { disk: 'home: no space left', isLast: false };
  expect(toFailure(new PdlcError('git_failed', 'git write-tree: 128'), around)).toMatchObject({
    type: 'disk_failed',
    message: 'home: no space left (git write-tree: 128)',
  });
  expect(toFailure(new PdlcError('disk_failed', 'ledger: EIO'), around)).toMatchObject({ message: 'ledger: EIO' });
  expect(toFailure(new PdlcError('branch_moved', 'elsewhere'), around)).toMatchObject({ type: 'branch_moved', nonRetryable: true });
});

test('a disk is waited for after the last try, nothing else is', () => {
  const last = { disk: null, isLast: true };
  expect(toFailure(new PdlcError('git_failed', 'x'), last)).toMatchObject({ nonRetryable: true });
  expect(toFailure(new PdlcError('disk_failed', 'x'), last)).toMatchObject({ nonRetryable: false });
});

test('a cancellation and a failure of Temporal pass as they are', () => {
  for (const error of [new CancelledFailure('x'), ApplicationFailure.create({ type: 'mine' })]) expect(toFailure(error)).toBe(error);
});
