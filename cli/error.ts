// Owns the one error by which a command ends early: a message for the person and an exit code from the closed list.
import { exitCodes } from '../machines/contract/run-state.js';

/** Ends a command; `message` names thing, expected, found and the next command. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** The person's input cannot be used (64). */
export const usageError = (message: string): CliError => new CliError(exitCodes.usage, message);
/** The server cannot be reached (69). */
export const unavailable = (message: string): CliError => new CliError(exitCodes.unavailable, message);
