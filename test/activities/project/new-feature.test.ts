// Guarantees of a feature at its beginning: its state is readable, starts at tdd, and its design can be found again.
import { expect, test } from 'vitest';
import { designOf, nameOfDesign, newFeature } from '../../../activities/project/new-feature.js';
import { featureIdProblem } from '../../../machines/contract/feature-id.js';
import { type FeatureState, nextOf, parseState } from '../../../machines/contract/state-file.js';

test('a new feature is named by the local clock and waits for tdd', () => {
  const now = new Date(2026, 10, 3, 4, 5, 6, 789);
  const { id, state } = newFeature({ now, name: 'Log in with E-Mail!', designPath: 'docs/login.md' });
  expect(id).toBe('F20261103-040506');
  expect(featureIdProblem(id)).toBeNull();
  expect(state).toEqual({
    feature_id: id,
    feature_name: 'log-in-with-e-mail',
    created_at: now.toISOString(),
    current_stage: 'design',
    run_mode: 'interactive',
    history: [{ stage: 'design', done_at: now.toISOString(), produced: ['docs/login.md'] }],
    last_phase_result: null,
    next_step: 'pdlc-tdd',
  });
  const reading = parseState(JSON.stringify(state));
  expect(reading).toEqual({ ok: true, state });
  expect(nextOf(reading)).toEqual({ kind: 'stage', stage: 'tdd' });
  expect(designOf(state)).toBe('docs/login.md');
});

test('a person may choose the id', () => {
  expect(newFeature({ now: new Date(0), name: '', designPath: 'd.md', id: 'login-1' })).toMatchObject({
    id: 'login-1',
    state: { feature_id: 'login-1', feature_name: 'feature' },
  });
});

test.each([
  ['docs/login.md', '# Design: Log in\n\n## More\n', 'design-log-in'],
  ['docs/login.md', 'intro\n\n## Über uns ##\n', 'über-uns'],
  ['docs/登录.md', 'no heading', '登录'],
  ['docs/Log In_v2.md', '', 'log-in-v2'],
  ['docs/login.md', '# !!!\n', 'login'],
  ['docs/login.md', `# ${'long '.repeat(50)}`, 'long-long-long-long-long-long-long-long-long-long-long-long'],
])('the design %s %j is called %s', (path, text, name) => {
  expect(nameOfDesign(path, text)).toBe(name);
});

test('the design is what the latest design stage produced last, else what prd produced, else nothing', () => {
  const of = (history: FeatureState['history']): string | null => designOf({ feature_id: 'F1', current_stage: 'design', history });
  const entry = (stage: string, produced?: string[]) => ({ stage, done_at: '', ...(produced ? { produced } : {}) });
  expect(of([entry('prd', ['prd.md']), entry('design', ['a.md', 'b.md']), entry('tdd', ['t.md'])])).toBe('b.md');
  expect(of([entry('design', ['old.md']), entry('design', ['new.md'])])).toBe('new.md');
  expect(of([entry('prd', ['prd.md']), entry('design')])).toBe('prd.md');
  expect(of([entry('tdd', ['t.md'])])).toBeNull();
  expect(of(undefined)).toBeNull();
});
