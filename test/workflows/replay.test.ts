// Recorded histories replay on the code as it is; a change of what a run does in which order is noticed before open runs meet it.
import { beforeAll, describe, expect, test } from 'vitest';
import { builtBundle, changedBundle } from './changed-bundle.js';
import { quietReplay, recordedHistories, replay } from './histories.js';
import { planted, swappedEnd } from './planted.js';

const histories = recordedHistories();
const noticed = /TMPRL1100|Nondeterminism/i;

beforeAll(quietReplay);

describe('recorded histories', () => {
  test('all of them replay on the current code', async () => {
    expect(histories.length).toBeGreaterThanOrEqual(20);
    expect(await replay(builtBundle, histories)).toEqual({});
  });

  test('there are at least twenty changes to notice', () => expect(Object.keys(planted).length).toBeGreaterThanOrEqual(20));

  test.each(Object.entries(planted))('it is noticed when %s', async (_, { shownBy, ...change }) => {
    const shown = histories.filter(({ name }) => name === shownBy);
    expect(shown).toHaveLength(1);
    expect((await replay(changedBundle(change), shown))[shownBy]).toMatch(noticed);
  });

  test('the same change behind patched() leaves recorded runs alone', async () => {
    const { file, from, to } = swappedEnd;
    const guarded = `if (require('@temporalio/workflow').patched('marked-before-release')) {\n${to}\n} else {\n${from}\n}`;
    const some = histories.filter(({ name }) => ['done', 'cancelled-working', 'expired'].includes(name));
    expect(some).toHaveLength(3);
    expect(await replay(changedBundle({ file, from, to: guarded }), some)).toEqual({});
  });
});
