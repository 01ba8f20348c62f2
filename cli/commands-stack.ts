// Owns the commands around the local stack and the machine: their options.
import type { Command } from 'commander';
import { type Json, jsonOption } from './arguments.js';
import type { Action, Context } from './context.js';

/** Adds up, down, worker, doctor and demo. */
export function addStackCommands(program: Command, context: Context, action: Action): void {
  const stack = () => import('./commands/stack.js');
  program
    .command('up')
    .description('start the local Temporal server and worker (other commands do so by themselves)')
    .option(...jsonOption)
    .action(({ json }: Json) => action(async () => (await stack()).up(context, { json: json ?? false })));
  program
    .command('down')
    .description('stop them; open runs go on at the next command')
    .option(...jsonOption)
    .action(({ json }: Json) => action(async () => (await stack()).down(context, { json: json ?? false })));
  program
    .command('worker')
    .description('serve this host in the foreground, for a Temporal server of your own')
    .action(() => action(async () => (await stack()).worker(context)));
  program
    .command('doctor')
    .description('look at everything a run needs; one fix per problem')
    .option(...jsonOption)
    .action(({ json }: Json) => action(async () => (await import('./commands/doctor.js')).doctor(context, { json: json ?? false })));
  program
    .command('demo')
    .description('a real run on a sample repository with a scripted agent: no keys, no network')
    .option('--keep', 'keep the folder and the stack for a look')
    .option(...jsonOption)
    .action(({ keep, json }: Json & { keep?: true }) =>
      action(async () => (await import('./commands/demo.js')).demo(context, { keep: keep ?? false, json: json ?? false })),
    );
}
