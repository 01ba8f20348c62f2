// Owns the recorded histories and their replay on a bundle. No server is needed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DefaultLogger, type InjectedSinks, Runtime, Worker } from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';

const folder = resolve(import.meta.dirname, '../histories');

/** A recorded history: its name is that of its file without version and ending. */
export type Recorded = { name: string; history: object };

/** All recorded histories. */
export function recordedHistories(): Recorded[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.map((file) => ({ name: file.replace(/^v\d+-|\.json$/g, ''), history: JSON.parse(readFileSync(join(folder, file), 'utf8')) as object }));
}

/** Replays histories on a bundle; gives what went wrong, by name. Calls that the workflows make to `sinks` are made here. */
export async function replay(code: string, histories: readonly Recorded[], sinks?: InjectedSinks<Sinks>): Promise<Record<string, string>> {
  const problems: Record<string, string> = {};
  const given = histories.map(({ name, history }) => ({ workflowId: name, history }));
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { code }, ...(sinks ? { sinks } : {}) }, given)) {
    if (error) problems[workflowId] = error.message;
  }
  return problems;
}

/** Keeps replay's own words out of the output: what it says is what a test expects or fails with. */
export function quietReplay(): void {
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'OFF' } } });
}
