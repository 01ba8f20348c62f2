// Recorded histories replay on the code as it is; a change of what a run does in which order is noticed before open runs meet it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';

const histories = resolve(import.meta.dirname, '../histories');
const bundle = readFileSync(resolve(import.meta.dirname, '../../dist/workflows/bundle.js'), 'utf8');
const names = readdirSync(histories).filter((name) => name.endsWith('.json'));

beforeAll(() => Runtime.install({ logger: new DefaultLogger('ERROR') }));

describe('recorded histories', () => {
  test('there are some', () => expect(names.length).toBeGreaterThan(0));

  test.each(names)('%s replays on the current code', async (name) => {
    await replay(name, bundle);
  });

  test('a changed stage order is noticed', async () => {
    const order = /\[\s*'tdd',\s*'implement',\s*'review'\s*\]/;
    expect(bundle).toMatch(order);
    await expect(replay(complete(), bundle.replace(order, "['review', 'implement', 'tdd']"))).rejects.toThrow(/TMPRL1100|Nondeterminism/i);
  });

  test('an act that is left out is noticed', async () => {
    expect(bundle).toContain("act)('capture'");
    await expect(replay(complete(), bundle.replaceAll("act)('capture'", "act)('publish'"))).rejects.toThrow(/TMPRL1100|Nondeterminism/i);
  });
});

function complete(): string {
  const name = names.find((candidate) => candidate.includes('done'));
  if (!name) throw new Error('no recorded history of a run that was done');
  return name;
}

async function replay(name: string, code: string): Promise<void> {
  const history: unknown = JSON.parse(readFileSync(join(histories, name), 'utf8'));
  await Worker.runReplayHistory({ workflowBundle: { code }, replayName: name }, history as object, 'pdlc/sample/F1');
}
