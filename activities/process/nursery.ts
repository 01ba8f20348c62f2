// A small process that starts programs for a large one: the time that a start takes grows with the memory of the process that forks.
// Must never outlive its owner, and must never leave a call without an answer.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Collect, Collected, CollectRequest } from './collect.js';
import type { Detach, DetachRequest } from './detach.js';

/** A message to the nursery: a program to collect, whose answer carries the same `id`, or one to detach, which has no answer. */
export type Asked = { id: number; request: CollectRequest } | { detach: DetachRequest };
/** The nursery's answer. */
export type Answered = { id: number; collected: Collected };

const ownEntry = fileURLToPath(new URL('./nursery-main.js', import.meta.url));
const flags = ['--max-semi-space-size=1', '--max-old-space-size=512'];

/** Runs programs in a nursery that is started at once, and again when it is needed and has died; `close` ends it, and never what was detached. `entry` is its compiled script. */
export function openNursery(entry = ownEntry): { collect: Collect; detach: Detach; close: () => void } {
  let current = startNursery(entry);
  const nursery = (): Nursery => {
    if (!current.child.connected) current = startNursery(entry);
    return current;
  };
  return {
    collect: (request) => ask(nursery(), request),
    detach: (request) => void nursery().child.send({ detach: request } satisfies Asked, () => {}),
    close: () => {
      if (current.child.connected) current.child.disconnect();
    },
  };
}

type Nursery = { child: ChildProcess; waiting: Map<number, (collected: Collected) => void>; asked: number };

function startNursery(entry: string): Nursery {
  const child = fork(entry, [], { execArgv: flags, env: {}, serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const nursery: Nursery = { child, waiting: new Map(), asked: 0 };
  child.on('message', ({ id, collected }: Answered) => answer(nursery, id, collected));
  const fail = () => {
    for (const id of nursery.waiting.keys()) answer(nursery, id, { kind: 'not_started', message: 'the process that starts programs is gone' });
  };
  child.on('error', fail);
  child.on('disconnect', fail);
  // Idle, it must not keep its owner alive.
  child.unref();
  child.channel?.unref();
  return nursery;
}

function ask(nursery: Nursery, request: CollectRequest): Promise<Collected> {
  return new Promise((resolve) => {
    nursery.asked += 1;
    const asked: Asked = { id: nursery.asked, request };
    nursery.waiting.set(asked.id, resolve);
    nursery.child.channel?.ref();
    nursery.child.send(asked, (error) => {
      if (error) answer(nursery, asked.id, { kind: 'not_started', message: error.message });
    });
  });
}

function answer({ child, waiting }: Nursery, id: number, collected: Collected): void {
  const resolve = waiting.get(id);
  waiting.delete(id);
  if (waiting.size === 0) child.channel?.unref();
  resolve?.(collected);
}
