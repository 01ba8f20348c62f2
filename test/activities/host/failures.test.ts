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

test('a cancellation and a failure of Temporal pass as they are', () => {
  for (const error of [new CancelledFailure('x'), ApplicationFailure.create({ type: 'mine' })]) expect(toFailure(error)).toBe(error);
});
