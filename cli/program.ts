// Owns the command line: names, arguments, options and help of every command. What a command does is loaded only when it is called.
import { Command, CommanderError } from 'commander';
import { exitCodes } from '../machines/contract/run-state.js';
import { addLookCommands } from './commands-look.js';
import { addRunCommands } from './commands-run.js';
import { addStackCommands } from './commands-stack.js';
import { addStateCommands } from './commands-state.js';
import type { Action, Context } from './context.js';
import { CliError } from './error.js';

/** Parses arguments, runs the command, and resolves with the exit code; never throws for a person's mistake. */
export async function runProgram(argv: readonly string[], context: Context): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const action: Action = async (use) => {
    exitCode = await use();
  };
  const program = createProgram(context, action);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CliError) {
      context.err(error.message);
      return error.exitCode;
    }
    if (error instanceof CommanderError) return isHelp(error) ? exitCodes.ok : exitCodes.usage;
    context.err(
      `pdlc: unexpected error: ${error instanceof Error ? (context.env.PDLC_DEBUG ? error.stack : error.message) : String(error)}\nLook closer with: PDLC_DEBUG=1 pdlc …   or: pdlc doctor`,
    );
    return 1;
  }
}

function createProgram(context: Context, action: Action): Command {
  const program = new Command('pdlc')
    .description(
      'Takes one feature of a git repository through tdd, implement and review with coding agents, unattended.\nIt stops at review_done for a person, or blocked with the exact reason. It never ships.',
    )
    .usage('<command> [options]')
    .version(context.version(), '--version', 'print the version')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.out(text.trimEnd()), writeErr: (text) => context.err(text.trimEnd()) })
    .addHelpText('after', help);
  addRunCommands(program, context, action);
  addLookCommands(program, context, action);
  addStateCommands(program, context, action);
  addStackCommands(program, context, action);
  showUsageOnError(program, 'pdlc', program);
  return program;
}

const help = `
Exit codes: 0 review_done · 2 waits for a person · 3 capped or expired · 4 environment broken · 5 stuck · 6 aborted or cancelled
            7 done, unverified · 64 usage · 69 server unreachable · 130 detached (the run goes on)

Begin with:
  pdlc init                                  propose a pdlc.yaml for this project
  pdlc new --design docs/design/search.md    make a feature; prints its id
  pdlc loop-run F20261130-101500             run it`;

function showUsageOnError(command: Command, name: string, program: Command): void {
  for (const inner of command.commands) showUsageOnError(inner, `${name} ${inner.name()}`, program);
  command.copyInheritedSettings(program);
  command.configureOutput({ ...program.configureOutput(), outputError: (text, write) => write(`${text.trimEnd()}\nusage: ${name} ${command.usage()}`) });
}

function isHelp({ code }: CommanderError): boolean {
  return code === 'commander.help' || code === 'commander.helpDisplayed' || code === 'commander.version';
}
