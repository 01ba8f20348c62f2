// Owns the black-box rig of the end-to-end tests: the built command in a PDLC_HOME of its own, on a real server, with scripted agents.
// Must never import the engine: what a script outside could not see is not asserted here.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, vi } from 'vitest';
import { cleanEnv, tempDir } from '../helpers/temp.js';

/** How one call ended: `last` is the last line of stdout. */
export type Ended = { code: number | null; stdout: string; stderr: string; last: string };

/** A call that is under way; `stderr` is what it has said so far, `hangUp` closes where it writes to, as a terminal that goes away does. */
export type Call = { pid: number; stderr: () => string; ended: Promise<Ended>; kill: (signal: NodeJS.Signals) => void; hangUp: () => void };

/** A stack of its own: every call of `pdlc` uses the same PDLC_HOME. `start` leaves the process to the test. */
export type Rig = {
  home: string;
  env: Record<string, string>;
  pdlc: (cwd: string, ...args: string[]) => Promise<Ended>;
  start: (cwd: string, ...args: string[]) => Call;
  /** Runs another program in the rig's environment and more. */
  run: (cwd: string, argv: string[], more: Record<string, string>) => Promise<Ended>;
  /** The report of a run as `status --json` prints it. */
  status: (cwd: string, id?: string) => Promise<RunObject>;
  /** The facts of the latest run, oldest first. */
  facts: (cwd: string, id?: string) => Promise<Fact[]>;
};

/** What the tests read of the `pdlc.run/1` object. */
export type RunObject = Record<string, unknown> & {
  state: string;
  stage: string | null;
  reason: string | null;
  sentinel: string | null;
  exitCode: number;
  stepsUsed: number;
  tree: string;
  base: string;
  head: string;
  notices: string[];
  usage: { usd: number | null };
  steps: {
    stage: string;
    ok: boolean | null;
    attempts: number;
    reason: string | null;
    commit: string | null;
    checks: Record<string, string>;
    usage: { usd: number | null };
  }[];
  next: string[];
};

/** What the tests read of one ledger entry. */
export type Fact = {
  kind: string;
  stage?: string;
  outcome?: { kind: string };
  verdict?: { kind: string; gate: string; reason?: string; paths?: unknown[] };
  author?: string;
};

/** Longest time of one end-to-end test, in ms: several runs share the processor. */
const testMsMax = 180_000;

/** The built command. */
export const command = resolve(import.meta.dirname, '../../dist/cli/main.js');

/** Makes a rig for one test file; its stack is stopped after the file. */
export function openRig(more: Record<string, string> = {}): Rig {
  const home = join(tempDir('home'), 'pdlc home');
  const env = cleanEnv({ PDLC_HOME: home, ...more });
  const calls = new Set<Call>();
  vi.setConfig({ testTimeout: testMsMax });
  const start: Rig['start'] = (cwd, ...args) => {
    const made = call(cwd, [process.execPath, command, ...args], env);
    calls.add(made);
    void made.ended.then(() => calls.delete(made));
    return made;
  };
  const run: Rig['run'] = (cwd, argv, extra) => call(cwd, argv, { ...env, ...extra }).ended;
  const pdlc: Rig['pdlc'] = (cwd, ...args) => start(cwd, ...args).ended;
  const status: Rig['status'] = async (cwd, id = 'F1') => json(await pdlc(cwd, 'status', id, '--json'));
  const facts: Rig['facts'] = async (cwd, id = 'F1') => JSON.parse((await pdlc(cwd, 'history', id, '--json')).stdout).entries;
  afterAll(async () => {
    for (const left of calls) left.kill('SIGKILL');
    await pdlc(home.replace(/[^/]+$/, ''), 'down');
  });
  return { home, env, pdlc, start, run, status, facts };
}

/** The one JSON object that a call printed. */
export function json(ended: Ended): RunObject {
  return JSON.parse(ended.stdout);
}

/** Waits until a condition holds, looking every `pollMs`; throws after the limit with the condition's text. */
export async function until(holds: () => boolean | Promise<boolean>, { limitMs = 90_000, pollMs = 50 } = {}): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not so within ${limitMs} ms: ${holds}`);
    await new Promise((done) => setTimeout(done, pollMs));
  }
}

/** What the tests read of a stack's record. */
export type StackRecord = { ports: { server: number }; server: { identity: { pid: number }; binary: string }; worker: { identity: { pid: number } } };

/** The record of a rig's running stack. */
export function stackRecord({ home }: Rig): StackRecord {
  return JSON.parse(readFileSync(join(home, 'stack/stack.json'), 'utf8'));
}

function call(cwd: string, [program = '', ...args]: string[], env: Record<string, string>): Call {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const hangUp = () => void [child.stdout, child.stderr].map((stream) => stream.destroy());
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code) => done({ code, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1) ?? '' }));
  });
  return { pid: child.pid ?? 0, stderr: () => stderr, ended, kill: (signal) => void child.kill(signal), hangUp };
}
