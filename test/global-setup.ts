// Owns the run's root and marker, and the proof after the run that no process and no folder is left.
// Must never kill a process that does not carry this run's marker.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  /** What every test file is given: the run's root folder and its marker, which is part of the root's name. */
  export interface ProvidedContext {
    root: string;
    run: string;
  }
}

const endingMs = 5_000;
const pollMs = 50;

/** Gives the run its root and returns the check for leftovers, which throws after cleaning up what it found. */
export function setup(project: TestProject): () => Promise<void> {
  const run = randomUUID();
  const root = realpathSync(mkdtempSync(join(tmpdir(), `pdlc tést ${run} `)));
  project.provide('root', root);
  project.provide('run', run);
  return async () => {
    const processes = await killLeftProcesses(run);
    const folders = leftFolders(root);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    const left = [...processes.map((line) => `process ${line}`), ...folders.map((name) => `folder ${name}`)];
    if (left.length === 0) return;
    process.exitCode = 1; // The test runner itself only prints what a teardown throws.
    throw new Error(`Expected nothing left after the tests, found (now removed):\n  ${left.join('\n  ')}`);
  };
}

async function killLeftProcesses(run: string): Promise<string[]> {
  // Processes that are already on their way out may finish.
  for (let waitedMs = 0; waitedMs < endingMs && marked(run).length > 0; waitedMs += pollMs) await sleep(pollMs);
  const left = marked(run);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself between the look and the kill.
    }
  }
  return left.map(({ pid, command }) => `${pid}: ${command}`);
}

// A test's child carries the marker in its environment, and as part of the root's name in its folder or arguments. The forks
// of the test runner do not: they learn it after their start.
function marked(run: string): { pid: number; command: string }[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: procText(name, 'cmdline'), environ: procText(name, 'environ'), cwd: procCwd(name) }))
    .filter(({ command, environ, cwd }) => [command, environ, cwd].some((text) => text.includes(run)));
}

function procText(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(join('/proc', pid, file), 'utf8')
      .replaceAll('\0', ' ')
      .trim();
  } catch {
    return '';
  }
}

function procCwd(pid: string): string {
  try {
    return readlinkSync(join('/proc', pid, 'cwd'));
  } catch {
    return '';
  }
}

function leftFolders(root: string): string[] {
  const made = readdirSync(root).filter((name) => !name.startsWith('.'));
  const inTmp = existsSync(join(root, '.tmp')) ? readdirSync(join(root, '.tmp')).map((name) => join('.tmp', name)) : [];
  return [...made, ...inTmp];
}
