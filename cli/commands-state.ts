// Owns the commands about what is kept on this host: their arguments, options and examples.
import type { Command } from 'commander';
import { idArgument, type Json, jsonOption } from './arguments.js';
import type { Action, Context } from './context.js';

/** Adds the group state with its one command, rebuild. */
export function addStateCommands(program: Command, context: Context, action: Action): void {
  const state = program.command('state').description('what is kept of a run on this host: state rebuild <featureId>');
  state
    .command('rebuild')
    .argument(idArgument)
    .description("write a damaged or lost ledger again from the run's history in Temporal; the damaged file is kept")
    .option(...jsonOption)
    .addHelpText('after', '\nExample:\n  pdlc state rebuild F20261130-101500')
    .action((id: string, { json }: Json) =>
      action(async () => (await import('./commands/state-rebuild.js')).stateRebuild(context, id, { json: json ?? false })),
    );
}
