// Guarantees of the list of states: closed, without overlap, and every end has its exit code.
import { expect, test } from 'vitest';
import { exitCodeOf, exitCodes, finalStates, isFinal, isWaiting, movingStates, runStates, waitingStates } from '../../../machines/contract/run-state.js';

test('every state is moving, waiting or final, and only one of them', () => {
  expect(new Set(runStates).size).toBe(movingStates.length + waitingStates.length + finalStates.length);
  expect(runStates.filter(isWaiting)).toEqual([...waitingStates]);
  expect(runStates.filter(isFinal)).toEqual([...finalStates]);
});

test('no state is called ship or deploy', () => {
  expect(runStates.filter((state) => /ship|deploy/i.test(state))).toEqual([]);
});

test('the exit code of every state is the promised one', () => {
  const codes = Object.fromEntries(runStates.map((state) => [state, exitCodeOf(state)]));
  expect(codes).toEqual({
    ...{ deciding: 130, preparing: 130, working: 130, judging: 130, repairing: 130 },
    ...{ blocked: 2, paused: 2, limited: 2, awaiting_choice: 2, needs_login: 2, integrity: 2 },
    ...{ capped: 3, expired: 3, env_broken: 4, stuck: 5, aborted: 6, cancelled: 6, done_unverified: 7, review_done: 0 },
  });
});

test('the codes that come from no state are the promised ones', () => {
  expect(exitCodes).toEqual({ ok: 0, usage: 64, unavailable: 69, detached: 130 });
});

test('only review_done ends with 0', () => {
  expect(runStates.filter((state) => exitCodeOf(state) === 0)).toEqual(['review_done']);
});
