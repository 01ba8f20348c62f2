// Guarantees of a run's clock: a deadline is a matter of the time that passed on the host, whatever the server's clock says meanwhile; proved by figures, and on a real server with a host whose clock the test sets.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Context } from '@temporalio/activity';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../machines/contract/report.js';
import { ensureStack, type Stack } from '../../worker/stack/index.js';
import { hearClock, startClock } from '../../workflows/clock.js';
import { featureRunType, hostQueue, reportQuery, resumeSignal, workflowQueue } from '../../workflows/messages.js';
import { freshFolder, removeHome, requestFor, serverBinaryForTests } from '../worker/stack/support.js';
import { input } from './live-run.js';

const hour = 3_600_000;
const reading = (beganMs: number, endedMs: number, boot = 'b') => ({ boot, beganMs, endedMs });

describe('the time that a run has moved', () => {
  const began = hearClock(startClock(1_000), reading(500, 600), { askedMs: 1_000, atMs: 1_100 });

  test('is the server’s while both clocks agree', () => {
    expect(began).toEqual({ startedMs: 1_000, last: { boot: 'b', hostMs: 600, atMs: 1_100 }, jumps: 0 });
  });

  test.each([24 * hour, -24 * hour])('is the host’s when the server’s clock jumps by %i ms', (jump) => {
    const after = hearClock(began, reading(700, 800), { askedMs: 1_200, atMs: 1_300 + jump });
    expect([after.startedMs, after.jumps]).toEqual([1_000 + jump, 1]);
  });

  test('goes on across a reboot, by the act alone', () => {
    const after = hearClock(began, reading(7, 107, 'another'), { askedMs: 5_000, atMs: 5_100 });
    expect(after).toEqual({ startedMs: 1_000, last: { boot: 'another', hostMs: 107, atMs: 5_100 }, jumps: 0 });
  });

  test('counts an answer that came late once the next one is heard', () => {
    const late = hearClock(began, reading(700, 800), { askedMs: 1_200, atMs: 1_300 + hour });
    expect(hearClock(late, reading(800 + hour, 900 + hour), { askedMs: 1_300 + hour, atMs: 1_400 + hour }).startedMs).toBe(1_000);
  });
});

const binary = (await serverBinaryForTests()) ?? '';
const home = freshFolder();
const limits = { ...input.config.limits, deadline: 2_000 };

describe.skipIf(!binary)('on a server (skipped when no source gives a Temporal server binary)', { timeout: 60_000 }, () => {
  let stack: Stack;
  let connection: Connection;
  let native: NativeConnection;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    stack = await ensureStack(requestFor(home, binary));
    connection = await Connection.connect({ address: stack.address });
    native = await NativeConnection.connect({ address: stack.address });
  });
  afterAll(async () => {
    await connection?.close();
    await native?.close();
    await removeHome(home);
  });

  test('a deadline that rings while the host has seen less time pass is armed again; one that the host confirms ends the run', async () => {
    const host = { nowMs: 1_000, looks: 0 };
    await onHost(host, async (handle) => {
      await expect.poll(() => host.looks, { timeout: 30_000 }).toBeGreaterThan(1);
      expect(await handle.query(reportQuery)).toMatchObject({ state: 'working' });
      host.nowMs += limits.deadline;
      expect(await handle.result()).toMatchObject({ state: 'expired' });
    });
  });

  test('a parked run holds no timer and no activity', async () => {
    await onHost(
      { nowMs: 1_000, looks: 0 },
      async (handle) => {
        await expect.poll(async () => (await handle.query<Report, []>(reportQuery)).state, { timeout: 30_000 }).toBe('capped');
        await expect.poll(async () => (await handle.describe()).raw.pendingActivities?.length ?? 0).toBe(0);
        const { events } = await handle.fetchHistory();
        const of = (kind: string) => (events ?? []).filter((event) => kind in event && event[kind as keyof typeof event]).length;
        expect(of('timerStartedEventAttributes')).toBe(of('timerCanceledEventAttributes') + of('timerFiredEventAttributes'));
        await handle.signal(resumeSignal, { id: 'one', reseal: false });
        await expect.poll(async () => (await handle.query<Report, []>(reportQuery)).commands.length).toBe(1);
        await handle.cancel();
        await handle.result().catch(() => undefined);
      },
      { ...limits, steps: 0 },
    );
  });

  /** Runs a feature on a host whose clock is a number, and whose agent works until it is stopped. */
  async function onHost(host: { nowMs: number; looks: number }, use: (handle: WorkflowHandle) => Promise<void>, withLimits = limits): Promise<void> {
    const now = () => ({ clock: { boot: 'b', beganMs: host.nowMs, endedMs: host.nowMs } });
    const hostId = `host-${withLimits.steps}`;
    const activities = {
      prepare: async () => ({ tree: '/tree', ground: { kind: 'proved', checks: [] }, notices: [], ...now() }),
      agent: async () => {
        for (;;) {
          Context.current().heartbeat();
          await Context.current().sleep(100);
        }
      },
      publish: async () => ({ head: null, moved: false, nextStep: null, treeAtHead: false, ...now() }),
      release: async () => ({ savedRef: null, leftOut: null, ...now() }),
      clock: async () => {
        host.looks += 1;
        return now();
      },
    };
    const common = { connection: native, namespace: stack.namespace };
    const code = readFileSync(resolve(import.meta.dirname, '../../dist/workflows/bundle.js'), 'utf8');
    const workflows = await Worker.create({ ...common, taskQueue: workflowQueue, workflowBundle: { code } });
    const acts = await Worker.create({
      ...common,
      taskQueue: hostQueue(hostId),
      activities,
      maxHeartbeatThrottleInterval: 200,
      defaultHeartbeatThrottleInterval: 200,
    });
    const run = { ...input, hostId, config: { ...input.config, limits: withLimits } };
    await workflows.runUntil(
      acts.runUntil(async () => {
        const { workflow } = new Client({ connection, namespace: stack.namespace });
        await use(await workflow.start(featureRunType, { args: [run], workflowId: hostId, taskQueue: workflowQueue }));
      }),
    );
  }
});
