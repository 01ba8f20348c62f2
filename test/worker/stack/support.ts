// Owns what the tests of the local stack share: a fresh PDLC_HOME, the server binary, a fake worker, a look at what runs.
// Must never leave a process or a folder behind.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { expect } from 'vitest';
import { findServerBinary } from '../../../worker/stack/binary.js';
import { stopStack } from '../../../worker/stack/down.js';
import type { Stack } from '../../../worker/stack/record.js';
import type { StackRequest } from '../../../worker/stack/start.js';

const binaryHome = fileURLToPath(new URL('../../../node_modules/.cache/pdlc', import.meta.url));

/** Which of the stack's processes to look for, by a word of their command line. */
export type StackProcess = 'start-dev' | 'fake-worker.mjs';

/** The server binary that a user would get, kept between test runs; null when no source has one. */
export async function serverBinaryForTests(): Promise<string | null> {
  const { env } = process;
  const found = await findServerBinary({ home: binaryHome, env, log: (line) => process.stderr.write(`${line}\n`) });
  return found.kind === 'found' ? found.path : null;
}

/** A fresh folder, its name with a space and an accent. */
export function freshFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'pdlc stäck ')));
}

/** A request for a stack in this PDLC_HOME with the fake worker; `env` is added to a small environment. */
export function requestFor(home: string, binary: string, env: Record<string, string> = {}): StackRequest {
  return {
    home,
    env: { PATH: process.env.PATH, HOME: home, PDLC_TEMPORAL_BIN: binary, FAKE_BUILD: 'build-1', ...env },
    build: env.FAKE_BUILD ?? 'build-1',
    log: () => undefined,
    workerEntry: fileURLToPath(new URL('./fake-worker.mjs', import.meta.url)),
  };
}

/** Stops whatever runs for this PDLC_HOME and removes it. */
export async function removeHome(home: string): Promise<void> {
  await stopStack({ home, graceMs: 0 });
  for (const pid of [...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]) process.kill(pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

/** The pids of the servers or workers that were started for this PDLC_HOME, whatever stack.json says. */
export function pidsOf(home: string, part: StackProcess): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => procFile(pid, 'cmdline').includes(part) && procFile(pid, 'environ').includes(`=${home}`))
    .map(Number);
}

/** Kills server and worker of this PDLC_HOME, as a power cut would, and waits until they are gone. */
export async function killProcesses(home: string): Promise<void> {
  for (const pid of [...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]) process.kill(pid, 'SIGKILL');
  await expect.poll(() => [...pidsOf(home, 'start-dev'), ...pidsOf(home, 'fake-worker.mjs')]).toEqual([]);
}

/** Starts a run that no worker takes. */
export async function startRun(stack: Stack, workflowId: string): Promise<void> {
  await withConnection(stack, async (connection) => {
    const client = new Client({ connection, namespace: stack.namespace });
    await client.workflow.start('nobody-runs-this', { workflowId, taskQueue: 'nobody' });
  });
}

/** Temporal's word for how a run stands. */
export function statusOf(stack: Stack, workflowId: string): Promise<string> {
  return withConnection(stack, async (connection) => {
    const client = new Client({ connection, namespace: stack.namespace });
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  });
}

/** Works with a connection to a stack's server. */
export async function withConnection<T>(stack: Stack, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.address });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function procFile(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It ended in between.
    return '';
  }
}
