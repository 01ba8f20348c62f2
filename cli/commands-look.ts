// Owns the commands that make features and look at them: their arguments, options and examples.
import type { Command } from 'commander';
import { idArgument, type Json, jsonOption, parseCount } from './arguments.js';
import type { Action, Context } from './context.js';

/** Adds init, new, loop-next, status, history and runbook. */
export function addLookCommands(program: Command, context: Context, action: Action): void {
  addMaking(program, context, action);
  program
    .command('loop-next')
    .argument(idArgument)
    .description('print what comes next: pdlc-tdd, pdlc-implement, pdlc-review, done or blocked')
    .option(...jsonOption)
    .action((id: string, { json }: Json) => action(async () => (await import('./commands/loop-next.js')).loopNext(context, id, { json: json ?? false })));
  program
    .command('status')
    .argument(idArgument)
    .description('show where a run is, in any state')
    .option(...jsonOption)
    .action((id: string, { json }: Json) => action(async () => (await import('./commands/status.js')).status(context, id, { json: json ?? false })));
  program
    .command('history')
    .argument(idArgument)
    .description('show every fact of the latest run')
    .option(...jsonOption)
    .action((id: string, { json }: Json) => action(async () => (await import('./commands/history.js')).history(context, id, { json: json ?? false })));
  program
    .command('runbook')
    .description('print a shell script that drives features from outside')
    .option('--max-steps <n>', 'step cap in the script', parseCount, 4)
    .addHelpText('after', '\nExample:\n  pdlc runbook > night.sh && sh night.sh F20261130-101500 F20261130-101700')
    .action(({ maxSteps }: { maxSteps: number }) => action(async () => (await import('./commands/runbook.js')).runbook(context, { maxSteps })));
}

function addMaking(program: Command, context: Context, action: Action): void {
  program
    .command('init')
    .description('look at the project and propose a pdlc.yaml')
    .option('--print', 'only print the proposal')
    .option(...jsonOption)
    .action(({ print, json }: Json & { print?: true }) =>
      action(async () => (await import('./commands/init.js')).init(context, { print: print ?? false, json: json ?? false })),
    );
  program
    .command('new')
    .description('make a feature from a design document; prints its id')
    .requiredOption('--design <file>', 'the design, inside the repository')
    .option('--name <name>', 'short name of the feature')
    .option('--id <featureId>', 'this id instead of one made from the clock')
    .option(...jsonOption)
    .addHelpText('after', '\nExample:\n  pdlc new --design docs/design/search.md')
    .action(({ design, name, id, json }: Json & { design: string; name?: string; id?: string }) =>
      action(async () => (await import('./commands/new.js')).newCommand(context, { design, name, id, json: json ?? false })),
    );
}
