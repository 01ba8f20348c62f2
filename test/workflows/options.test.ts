// Guarantees of activity ids: every attempt of a run has one of its own, and starts that were not charged do not share it.
import { expect, test } from 'vitest';
import { attemptId } from '../../machines/contract/activities.js';
import { stages } from '../../machines/contract/stage.js';
import { hostQueue } from '../../workflows/messages.js';

test('an id names stage, step and attempt, and the try only when there was more than one', () => {
  expect(attemptId({ stage: 'tdd', step: 1, attempt: 2, tries: 0 })).toBe('tdd-1-2');
  expect(attemptId({ stage: 'review', step: 4, attempt: 0, tries: 3 })).toBe('review-4-0r3');
});

test('no two places of a run share an id', () => {
  const numbers = [0, 1, 2, 11, 12, 21];
  const places = stages.flatMap((stage) => numbers.flatMap((step) => numbers.flatMap((attempt) => numbers.map((tries) => ({ stage, step, attempt, tries })))));
  expect(new Set(places.map(attemptId)).size).toBe(places.length);
});

test('a host has a queue of its own', () => {
  expect(hostQueue('abc')).toBe('pdlc-host-abc');
});
