// Owns the moments at which the chaos harness may kill a worker: the beginning and end of each act, and before and after each program that an act has run or starts.
// Between two of them lies at most one lasting effect. Without a folder nothing of this is in the way: the host stays as it is.
import { appendFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { WorkerInterceptors } from '@temporalio/worker';
import type { Host } from '../activities/index.js';

/** A host whose programs pass moments, and what makes its acts pass them. */
export type FailPoints = { host: Host; interceptors: WorkerInterceptors };

/**
 * Wraps a host: every moment's name is appended to `seen` in the folder, and the one that the file `kill` there names ends this process by SIGKILL, once.
 * Names are alike in every run of the same feature, so a run without a kill tells which there are. `folder` undefined: no moments.
 */
export function withFailPoints(host: Host, folder: string | undefined): FailPoints {
  if (!folder) return { host, interceptors: {} };
  const passed = new WeakMap<Context, Map<string, number>>();
  const pass = (what: string): void => {
    const context = Context.current();
    const counts = passed.get(context) ?? new Map<string, number>();
    passed.set(context, counts);
    counts.set(what, (counts.get(what) ?? 0) + 1);
    // Counted by kind, because some programs run side by side.
    passMoment(folder, `${context.info.activityId} ${what} ${counts.get(what)}`);
  };
  return {
    host: {
      ...host,
      git: async (args, options) => {
        pass(`before git ${args[0]}`);
        const result = await host.git(args, options);
        pass(`after git ${args[0]}`);
        return result;
      },
      detach: (request) => {
        pass('before start');
        host.detach(request);
        pass('after start');
      },
    },
    interceptors: { activity: [() => ({ inbound: { execute: (input, next) => passThrough(pass, () => next(input)) } })] },
  };
}

async function passThrough<T>(pass: (what: string) => void, act: () => Promise<T>): Promise<T> {
  pass('begin');
  const result = await act();
  pass('end');
  return result;
}

function passMoment(folder: string, name: string): void {
  appendFileSync(join(folder, 'seen'), `${name}\n`);
  const order = join(folder, 'kill');
  if (readOrder(order) !== name) return;
  renameSync(order, join(folder, 'killed'));
  process.kill(process.pid, 'SIGKILL');
}

function readOrder(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // nobody is to be killed
  }
}
