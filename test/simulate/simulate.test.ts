// Guarantees of whole simulated runs: the real workflow and machines against a made-up world, and proof that the laws can fail.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('no simulated run breaks a law, whatever agents, hosts, persons and crashes do', { timeout: 180_000 }, async () => {
  expect(await simulate('--runs', '1000')).toMatch(/^1000 runs/);
});

test('the laws can fail: planted defects are found', { timeout: 180_000 }, async () => {
  const lines = (await simulate('--plants', '8')).trim().split('\n');
  expect(lines.filter((line) => line.startsWith('found in '))).toHaveLength(8);
});

async function simulate(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'main.mjs'), ...args]);
  return stdout;
}
