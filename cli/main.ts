#!/usr/bin/env node
// Owns the entry of the command line: one process in, one exit code out. The only file of the CLI that reads process.env.
import { exitCodes } from '../machines/contract/run-state.js';
import { createContext } from './context.js';
import { runProgram } from './program.js';

// A reader that left early (`pdlc status | head -1`) or a terminal that closed is no error of ours, but a command that was not through is no success either.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(process.exitCode ?? exitCodes.detached));
process.exitCode = await runProgram(process.argv.slice(2), createContext({ env: process.env, cwd: folder(), stdout: process.stdout, stderr: process.stderr }));

function folder(): string {
  try {
    return process.cwd();
  } catch {
    return '/'; // the folder was removed under us; every command then says that there is no repository
  }
}
