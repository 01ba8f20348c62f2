// Checks the guarantees of ensureStack with a real server and a stand-in for the worker.
// Never relies on a running stack of the user.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAlive, type ProcessIdentity, readIdentity } from '../../../activities/process/identity.js';
import { ensureStack } from '../../../worker/stack/index.js';
import { stackPaths } from '../../../worker/stack/paths.js';
import { readRecord, type StackRecord, writeRecord } from '../../../worker/stack/record.js';
import { stackStatus } from '../../../worker/stack/status.js';
import { freshFolder, killProcesses, pidsOf, removeHome, requestFor, serverBinaryForTests, startRun, statusOf, withConnection } from './support.js';

const binary = (await serverBinaryForTests()) ?? '';
const built = fileURLToPath(new URL('../../../dist/worker/stack/index.js', import.meta.url));
let home = '';

beforeEach(() => {
  home = freshFolder();
});
afterEach(() => removeHome(home));

describe.skipIf(!binary)('ensureStack (skipped when no source gives a Temporal server binary)', { timeout: 60_000 }, () => {
  test('ten calls at once give one server, one worker and one answer', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ensureStack(requestFor(home, binary))));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expectOneOfEach();
  });

  test.skipIf(!existsSync(built))('four processes at once give one server and one worker', async () => {
    const code = `const { ensureStack } = await import(process.argv[1]);
      const request = JSON.parse(process.argv[2]);
      console.log(JSON.stringify(await ensureStack({ ...request, log: () => undefined })));`;
    const args = ['--input-type=module', '-e', code, built, JSON.stringify(requestFor(home, binary))];
    const runs = await Promise.all(Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args)));
    expect(new Set(runs.map((run) => run.stdout)).size).toBe(1);
    expectOneOfEach();
  });

  test('a second call changes nothing and starts nothing', async () => {
    const first = await ensureStack(requestFor(home, binary));
    const before = recordOf(home);
    expect(await ensureStack(requestFor(home, '/nowhere'))).toEqual(first);
    expect(recordOf(home)).toEqual(before);
  });

  test('the namespace keeps runs for 30 days and knows the search attributes', async () => {
    const stack = await ensureStack(requestFor(home, binary));
    await withConnection(stack, async ({ workflowService, operatorService }) => {
      const { config } = await workflowService.describeNamespace({ namespace: stack.namespace });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace: stack.namespace });
      expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(['PdlcFeatureId', 'PdlcStage', 'PdlcState']));
    });
  });

  test('a killed server is started again on the same ports with the same runs, and the worker stays', async () => {
    const stack = await ensureStack(requestFor(home, binary));
    const before = recordOf(home);
    await startRun(stack, 'kept');
    await kill(before.server);
    expect(await ensureStack(requestFor(home, binary))).toEqual(stack);
    expect(recordOf(home).worker).toEqual(before.worker);
    expect(await statusOf(stack, 'kept')).toBe('RUNNING');
    expectOneOfEach();
  });

  test('a killed worker is started again and the server stays', async () => {
    await ensureStack(requestFor(home, binary));
    const before = recordOf(home);
    await kill(before.worker);
    await ensureStack(requestFor(home, binary));
    expect(recordOf(home).server).toEqual(before.server);
    expectOneOfEach();
  });

  test('a worker of another build is replaced, unless only what is down is wanted', async () => {
    await ensureStack(requestFor(home, binary));
    const old = recordOf(home);
    const other = requestFor(home, binary, { FAKE_BUILD: 'build-2' });
    await ensureStack({ ...other, anyBuild: true });
    expect(recordOf(home)).toEqual(old);
    await ensureStack(other);
    expect(recordOf(home).worker?.build).toBe('build-2');
    expect(old.worker && isAlive(old.worker.identity)).toBe(false);
    expect(recordOf(home).server).toEqual(old.server);
    expectOneOfEach();
  });

  test('a stale stack.json is put right, and another program with the same pid is left alone', async () => {
    const stranger = spawn('sleep', ['60']);
    const identity = readIdentity(stranger.pid ?? 0);
    try {
      await ensureStack(requestFor(home, binary));
      const { ports, server, worker } = recordOf(home);
      await killProcesses(home);
      const reused = { pid: stranger.pid ?? 0, startTime: '1', bootId: identity?.bootId ?? '' };
      const otherBoot = { ...reused, startTime: identity?.startTime ?? '', bootId: 'another boot' };
      writeRecord(stackPaths(home), {
        ports,
        server: server && { ...server, identity: reused },
        worker: worker && { ...worker, identity: otherBoot },
      });
      await ensureStack(requestFor(home, binary));
      expect(identity && isAlive(identity)).toBe(true);
      expectOneOfEach();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('a server that stack.json has lost is found again, with its ports', async () => {
    const stack = await ensureStack(requestFor(home, binary));
    const { server } = recordOf(home);
    writeFileSync(stackPaths(home).record, '{"ports":');
    expect(await ensureStack(requestFor(home, binary))).toEqual(stack);
    expect(recordOf(home).server).toEqual(server);
    expectOneOfEach();
  });

  test('what a starter that died had begun is taken over, not started twice', async () => {
    const stack = await ensureStack(requestFor(home, binary));
    const { ports, server, worker } = recordOf(home);
    const begun = {
      ports,
      server: server && { ...server, ready: false },
      worker: worker && { ...worker, ready: false },
    };
    writeRecord(stackPaths(home), begun);
    expect(await ensureStack(requestFor(home, binary))).toEqual(stack);
    expect(recordOf(home)).toEqual({ ports, server, worker });
    expectOneOfEach();
  });

  test('a worker that stack.json has lost is stopped before another is started', async () => {
    await ensureStack(requestFor(home, binary));
    const { ports, server } = recordOf(home);
    writeRecord(stackPaths(home), { ports, server, worker: null });
    await ensureStack(requestFor(home, binary));
    expectOneOfEach();
  });

  test('a port that a stranger has taken is replaced, for server and worker alike', async () => {
    const before = await ensureStack(requestFor(home, binary));
    const old = recordOf(home);
    await kill(old.server);
    const stranger = createServer();
    await expect.poll(() => listens(stranger, old.ports.server)).toBe(true);
    try {
      const after = await ensureStack(requestFor(home, binary));
      expect(after.address).not.toBe(before.address);
      expect(after.uiUrl).toBe(before.uiUrl);
      expect(recordOf(home).worker?.address).toBe(after.address);
      expectOneOfEach();
    } finally {
      stranger.close();
    }
  });

  test('a worker that dies at its start is an error with its own last words, and the server stays for the next try', async () => {
    const failing = ensureStack(requestFor(home, binary, { FAKE_TROUBLE: 'dies' }));
    await expect(failing).rejects.toMatchObject({
      kind: 'worker_failed',
      message: expect.stringContaining('cannot reach the server'),
    });
    expect(pidsOf(home, 'fake-worker.mjs')).toEqual([]);
    expect(await stackStatus(home)).toMatchObject({ server: { state: 'running' }, worker: { state: 'stopped' } });
    await ensureStack(requestFor(home, binary));
    expectOneOfEach();
  });

  test('without a server binary the error names every source that was tried', async () => {
    await expect(ensureStack(requestFor(home, '/nowhere/temporal'))).rejects.toMatchObject({
      kind: 'no_binary',
      message: expect.stringContaining('PDLC_TEMPORAL_BIN: /nowhere/temporal: not found'),
    });
  });

  test('a server of another version says where the earlier runs stay', async () => {
    const { folder } = stackPaths(home);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'temporal-0.9.0.db'), '');
    const lines: string[] = [];
    await ensureStack({ ...requestFor(home, binary), log: (line) => lines.push(line) });
    expect(lines).toEqual([expect.stringContaining('earlier runs stay in temporal-0.9.0.db')]);
  });

  test('the server hears loopback only', async () => {
    await ensureStack(requestFor(home, binary));
    const { ports, server } = recordOf(home);
    const listening = readFileSync(`/proc/${server?.identity.pid}/net/tcp`, 'utf8') + readFileSync(`/proc/${server?.identity.pid}/net/tcp6`, 'utf8');
    const hex = [ports.server, ports.ui].map((port) => port.toString(16).toUpperCase().padStart(4, '0'));
    const locals = listening
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((field) => field[3] === '0A');
    const ours = locals.map((field) => field[1] ?? '').filter((local) => hex.some((port) => local.endsWith(`:${port}`)));
    expect(ours.map((local) => local.split(':')[0])).toEqual(['0100007F', '0100007F']);
  });
});

function recordOf(folder: string): StackRecord {
  const record = readRecord(stackPaths(folder));
  if (!record) throw new Error(`no stack.json in ${folder}`);
  return record;
}

function expectOneOfEach(): void {
  const { server, worker } = recordOf(home);
  expect(pidsOf(home, 'start-dev')).toEqual([server?.identity.pid]);
  expect(pidsOf(home, 'fake-worker.mjs')).toEqual([worker?.identity.pid]);
}

async function kill(known: { identity: ProcessIdentity } | null): Promise<void> {
  process.kill(known?.identity.pid ?? 0, 'SIGKILL');
  await expect.poll(() => known && isAlive(known.identity)).toBe(false);
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}
