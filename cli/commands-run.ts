// Owns the commands that start, continue and steer runs: their arguments, options and examples.
import type { Command } from 'commander';
import type { ConfigFlags } from '../activities/project/resolve.js';
import type { LimitsConfig } from '../machines/contract/limits.js';
import type { Extension } from '../workflows/messages.js';
import { idArgument, type Json, jsonOption, parseChoice, parseCount, parseExtension, parseLimit, parseUsd } from './arguments.js';
import type { Action, Context } from './context.js';
import { usageError } from './error.js';

/** Adds loop-run, resume, pause, abort, cancel, note, choose and extend. */
export function addRunCommands(program: Command, context: Context, action: Action): void {
  addLoopRun(program, context, action);
  addResume(program, context, action);
  addSteering(program, context, action);
  addExtend(program, context, action);
}

type LoopRunFlags = {
  maxSteps?: number;
  maxBudgetUsd?: number;
  limit?: LimitsConfig[];
  agent?: string;
  evaluator?: string;
  verify?: string;
  honor?: true;
  fresh?: true;
  wait: boolean;
  json?: true;
};

function addLoopRun(program: Command, context: Context, action: Action): void {
  program
    .command('loop-run')
    .argument(idArgument)
    .description('run a feature to review_done or to its next stop; comes back to a run that is open')
    .option('--max-steps <n>', 'stages that may be dispatched (default 4: three and one to spare)', parseCount)
    .option('--max-budget-usd <amount>', 'money that the run may spend', parseUsd)
    .option('--limit <key=value>', 'any other limit of pdlc.yaml, such as wall=10m or tokens=500000; may be repeated', parseLimit)
    .option('--agent <command>', 'the agent, as a shell command (default: PDLC_AGENT where pdlc.yaml names none)')
    .option('--evaluator <command>', 'the evaluator, as a shell command')
    .option('--verify <command>', 'the unit check, instead of the configured one')
    .option('--honor', 'run without any check; can only end done_unverified')
    .option('--fresh', 'begin at HEAD again; the old branch tip is saved under refs/pdlc/')
    .option('--no-wait', 'stop with exit code 2 when a usage limit has to be waited for')
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  pdlc loop-run F20261130-101500 --max-steps 4\n  pdlc loop-run F20261130-101500 --json | jq .state')
    .action((id: string, given: LoopRunFlags) =>
      action(async () => {
        const { loopRun } = await import('./commands/loop-run.js');
        const { wait, honor = false, fresh = false, json = false } = given;
        const isGiven = Object.keys(given).some((name) => !['wait', 'json'].includes(name));
        return loopRun(context, id, { given: isGiven, flags: configFlags(given), wait, honor, fresh, json });
      }),
    );
}

function configFlags({ maxSteps, maxBudgetUsd, limit = [], agent, evaluator, verify }: LoopRunFlags): ConfigFlags {
  const own = { ...(maxSteps ? { steps: maxSteps } : {}), ...(maxBudgetUsd === undefined ? {} : { usd: maxBudgetUsd }) };
  const limits: LimitsConfig = Object.assign({}, ...limit, own);
  return { limits, ...(verify ? { verify } : {}), ...(agent ? { agent } : {}), ...(evaluator ? { evaluator } : {}) };
}

function addResume(program: Command, context: Context, action: Action): void {
  program
    .command('resume')
    .argument(idArgument)
    .description('go on with a run that waits; what you changed in its kept tree is judged first')
    .option('--reseal', 'the tests as they are in the kept tree are the new seal')
    .option('--detach', 'return as soon as the run has accepted')
    .option(...jsonOption)
    .addHelpText('after', '\nExample:\n  pdlc resume F20261130-101500')
    .action((id: string, { reseal, detach, json }: { reseal?: true; detach?: true; json?: true }) =>
      action(async () => {
        const { resume } = await import('./commands/resume.js');
        return resume(context, id, { reseal: reseal ?? false, detach: detach ?? false, json: json ?? false });
      }),
    );
}

function addSteering(program: Command, context: Context, action: Action): void {
  const steering = () => import('./commands/steer.js');
  const add = (name: string, description: string) =>
    program
      .command(name)
      .argument(idArgument)
      .description(description)
      .option(...jsonOption);
  add('pause', 'let the attempt under way finish, then wait').action((id: string, { json }: Json) =>
    action(async () => (await steering()).pause(context, id, { json: json ?? false })),
  );
  add('abort', 'end the run at its next decision and record why')
    .option('--reason <text>', 'why', 'aborted by a person')
    .action((id: string, { json, reason }: Json & { reason: string }) =>
      action(async () => (await steering()).abort(context, id, { reason, json: json ?? false })),
    );
  add('cancel', 'stop agents at once and close the run; leftovers are saved').action((id: string, { json }: Json) =>
    action(async () => (await steering()).cancel(context, id, { json: json ?? false })),
  );
  add('note', 'add words to the next prompt')
    .argument('<text>')
    .action((id: string, text: string, { json }: Json) => action(async () => (await steering()).note(context, id, { text, json: json ?? false })));
  add('choose', 'answer whether changed dependencies are allowed')
    .argument('<allow|refuse>', 'the answer', parseChoice)
    .action((id: string, allow: boolean, { json }: Json) => action(async () => (await steering()).choose(context, id, { allow, json: json ?? false })));
}

function addExtend(program: Command, context: Context, action: Action): void {
  const command = program.command('extend').argument(idArgument).description('set a limit anew, absolute or +n; the same run goes on');
  const keys: [keyof LimitsConfig, string][] = [
    ['steps', 'stages that may be dispatched'],
    ['attempts', 'agent processes per stage, from the next stage on'],
    ['usd', 'money of the run'],
    ['usdPerAttempt', 'money of one attempt'],
    ['tokens', 'tokens of the run'],
    ['wall', 'time of one attempt'],
    ['silence', 'silence of one attempt'],
    ['deadline', 'working time of the run'],
    ['wait', 'time that a usage limit is waited for'],
  ];
  for (const [key, text] of keys) command.option(`--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <value>`, text, parseExtension(key));
  command
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  pdlc extend F20261130-101500 --steps +1\n  pdlc extend F20261130-101500 --usd 40')
    .action((id: string, { json, ...given }: { json?: true } & Record<string, Extension>) =>
      action(async () => {
        const extensions = Object.values(given);
        if (extensions.length === 0) throw usageError('extend: expected at least one limit, found none; for example: pdlc extend ID --steps +1');
        const { extend } = await import('./commands/steer.js');
        return extend(context, id, { extensions, json: json ?? false });
      }),
    );
}
