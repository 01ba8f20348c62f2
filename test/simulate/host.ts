// Owns the simulated host: how each activity fares there. It may fail once, for ever, before or after its effect, lose its answer, or be cancelled at any time.
import type { AgentInput, CaptureInput, JudgeInput, PrepareInput, PublishInput, ReleaseInput } from '../../machines/contract/activities.js';
import { agent, capture, judge, PermanentFailure, prepare, publish, release } from './acts.js';
import type { ActivityCommand, Job } from './execution.js';
import { CancelledFailure } from './scope.js';
import type { Process, World } from './world.js';

/** `late`: fails once before its effect; `unheard`: its effect happens, the answer is lost, it is done again; `never` and `vain` keep failing, without and after the effect. */
const fares = [...Array<'well'>(36).fill('well'), 'late', 'unheard', 'never', 'vain'] as const;

/** One activity that was asked for and is not answered yet; `askedMs` and `dueMs` epoch. */
export type Task = ActivityCommand & {
  askedMs: number;
  dueMs: number;
  fare: (typeof fares)[number];
  tries: number;
  isCancelled: boolean;
  process: Process | null;
};

const minute = 60_000;
const longest: Record<string, number> = { agent: 25 * minute, judge: 8 * minute, prepare: 4 * minute };

/** Takes an activity on; a process begins where there is one. */
export function takeOn(world: World, command: ActivityCommand, nowMs: number): Task {
  const { chance } = world;
  const key = keyOf(command);
  if (world.taken.has(key) && !command.id.startsWith('ledger-')) world.find('every act has an id of its own', `${key} is asked for twice`);
  world.taken.add(key);
  const fare = chance.pick(fares);
  const dueMs = nowMs + 1 + chance.below(longest[command.name] ?? 5_000);
  return { ...command, askedMs: nowMs, dueMs, fare, tries: 0, isCancelled: false, process: fare === 'never' ? null : processOf(world, command) };
}

/** What the workflow is told of a task that is due; null: the server has it done again, later. */
export function answer(world: World, task: Task, nowMs: number): Job | null {
  const job = answerOf(world, task, nowMs);
  // Results of older hosts bring no reading of their clock.
  if (job?.kind === 'resolve' && world.hasClock) job.result = { ...(job.result as object), clock: { boot: 'boot', beganMs: task.askedMs, endedMs: nowMs } };
  if (job && task.process) task.process.isTold = true;
  if (job && (task.name === 'publish' || task.name === 'release')) world.isWritten = job.kind === 'resolve';
  return job;
}

function answerOf(world: World, task: Task, nowMs: number): Job | null {
  const { seq, fare } = task;
  if (task.isCancelled) return stopped(world, task, nowMs);
  const again = task.tries === 0 && (fare === 'late' || fare === 'unheard');
  if (fare === 'never') return failed(task, 'the disk is full');
  const result = again && fare === 'late' ? null : performed(world, task, nowMs);
  if (result instanceof Error) return failed(task, result.message);
  if (fare === 'vain') return unheard(task, failed(task, 'the worker kept dying'));
  if (!again) return { kind: 'resolve', seq, result };
  task.tries += 1;
  task.dueMs = nowMs + 500;
  return null;
}

function stopped(world: World, task: Task, nowMs: number): Job {
  const isQuick = !(task.name in longest);
  const isHeard = task.fare !== 'never' && (isQuick ? world.chance.below(10) < 7 : world.chance.once(7));
  if (isHeard) {
    const result = performed(world, task, nowMs);
    return result instanceof Error ? failed(task, result.message) : { kind: 'resolve', seq: task.seq, result };
  }
  if (task.process && !world.results.has(keyOf(task))) world.end(task.process, null);
  // A quick act that is not heard of was never begun, or has happened all the same.
  if (isQuick && task.fare === 'vain') performed(world, task, nowMs);
  return unheard(task, { kind: 'fail', seq: task.seq, failure: new CancelledFailure('cancelled') });
}

/** What an agent said never reaches the run, so that nothing of it can be charged or counted. */
function unheard({ process }: Task, job: Job): Job {
  if (process) Object.assign(process, { usd: null, charged: false });
  return job;
}

function failed({ seq }: Task, message: string): Job {
  return { kind: 'fail', seq, failure: new Error(message) };
}

function processOf(world: World, { name, id, input }: ActivityCommand): Process | null {
  const { at } = input as AgentInput | JudgeInput; // both have a place; other acts are not looked at
  if (name === 'agent') return world.begin(id, 'agent', at);
  return name === 'judge' && at.stage === 'review' ? world.begin(id, 'evaluator', at) : null;
}

/** The effect, and the first answer that it gave: whoever asks again is told the same. */
function performed(world: World, task: Task, nowMs: number): unknown {
  const key = keyOf(task);
  const known = world.results.get(key);
  if (known !== undefined && task.name !== 'publish' && task.name !== 'release') return known;
  try {
    const result = act(world, task, nowMs);
    if (known === undefined) world.results.set(key, result);
    return known ?? result;
  } catch (error) {
    if (error instanceof PermanentFailure) return error;
    throw error;
  }
}

function act(world: World, { name, input, process }: Task, nowMs: number): unknown {
  switch (name) {
    case 'prepare':
      return prepare(world, input as PrepareInput);
    case 'agent':
      if (!process) throw new Error('an agent ends that never began');
      return agent(world, { process, input: input as AgentInput, nowMs });
    case 'capture':
      return capture(world, input as CaptureInput);
    case 'judge':
      return judge(world, input as JudgeInput, process);
    case 'clock':
      return {};
    case 'publish':
      return publish(world, input as PublishInput);
    default:
      return release(world, input as ReleaseInput);
  }
}

const keyOf = ({ name, id }: Pick<ActivityCommand, 'name' | 'id'>): string => `${name} ${id}`;
