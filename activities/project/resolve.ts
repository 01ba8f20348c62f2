// Owns the way from a configuration file and flags to the configuration of a run: flags win over the file, the file over defaults. Pure; never guesses a command.
import { type AgentCommand, type Config, type ConfigFile, checkTimeoutMs, stageSettings } from '../../machines/contract/config.js';
import { defaultLimits, type LimitsConfig, overlayLimits } from '../../machines/contract/limits.js';
import { type Stage, stages } from '../../machines/contract/stage.js';
import type { ConfigProblem } from './config-problem.js';
import { maskedExit } from './masked-exit.js';

/**
 * Flags of one call, already checked: `limits` win over the file's at every level, `verify` is the command of checks.unit, `agent` and `evaluator` are shell
 * commands that win over the file's general ones, `fallbackAgent` is one for a project that names none.
 */
export type ConfigFlags = { limits?: LimitsConfig; verify?: string; agent?: string; evaluator?: string; fallbackAgent?: string };

/** The configuration of a run with sentences worth a person's attention, or what keeps it from being one. */
export type Resolution = { ok: true; config: Config; warnings: string[] } | { ok: false; problems: ConfigProblem[] };

/** Resolves a configuration; `honor`: a person wants to run without checks, so none is required. */
export function resolveConfig({ file, flags, honor }: { file: ConfigFile; flags: ConfigFlags; honor: boolean }): Resolution {
  const chosen = withFlags(file, flags);
  const checks = honor ? {} : (chosen.checks ?? {});
  const agents = stages.map((stage) => ({ stage, ...agentsOf(chosen, stage) }));
  const problems = [...agents.flatMap(({ agent, evaluator }) => [...agent.problems, ...evaluator.problems]), ...(checks.unit || honor ? [] : [noUnit])];
  if (problems.length > 0) return { ok: false, problems: dropRepeated(problems) };
  const limits = overlayLimits(defaultLimits, chosen.limits);
  const settings = agents.map(
    ({ stage, agent, evaluator }) => [stage, stageSettings(chosen, stage, { agent: agent.command, evaluator: evaluator.command, limits })] as const,
  );
  const config: Config = {
    setup: chosen.setup ?? null,
    checks,
    seal: chosen.seal ?? { paths: [], dependencies: 'ask' },
    limits,
    stages: Object.fromEntries(settings) as Config['stages'], // one entry for each stage, by construction
  };
  return { ok: true, config, warnings: Object.entries(checks).flatMap(([name, { run }]) => warningOf(name, run)) };
}

/** The file as if the flags had been written into it, at every level at which their keys may stand. */
function withFlags(file: ConfigFile, { limits = {}, verify, agent, evaluator, fallbackAgent }: ConfigFlags): ConfigFile {
  const { attempts, usdPerAttempt, wall, silence } = limits;
  const perStage = dropUnset({ attempts, usdPerAttempt, wall, silence });
  const stages = Object.entries(file.stages ?? {}).map(([name, own]) => [name, { ...own, limits: { ...own.limits, ...perStage } }]);
  const chosenAgent = shell(agent) ?? file.agent ?? shell(fallbackAgent);
  const chosenEvaluator = shell(evaluator) ?? file.evaluator;
  return {
    ...file,
    ...(chosenAgent ? { agent: chosenAgent } : {}),
    ...(chosenEvaluator ? { evaluator: chosenEvaluator } : {}),
    checks: { ...file.checks, ...(verify === undefined ? {} : { unit: { run: verify, timeout: checkTimeoutMs, env: {} } }) },
    limits: { ...file.limits, ...dropUnset(limits) },
    stages: Object.fromEntries(stages),
  };
}

function shell(text: string | undefined): AgentCommand | undefined {
  return text === undefined ? undefined : { command: ['/bin/sh', '-c', text], env: {}, pass: [] };
}

function dropUnset<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>; // only keys are left out
}

type Chosen = { command: AgentCommand; problems: ConfigProblem[] };

function agentsOf(file: ConfigFile, stage: Stage): { agent: Chosen; evaluator: Chosen } {
  const own = file.stages?.[stage];
  const agent = own?.agent ? commandOf(own.agent, `stages.${stage}.agent`) : commandOf(file.agent, 'agent');
  if (own?.evaluator) return { agent, evaluator: commandOf(own.evaluator, `stages.${stage}.evaluator`) };
  return { agent, evaluator: file.evaluator ? commandOf(file.evaluator, 'evaluator') : agent };
}

function commandOf(choice: ConfigFile['agent'], path: string): Chosen {
  if (choice && 'command' in choice) return { command: choice, problems: [] };
  const found = choice ? `the name ${JSON.stringify(choice.name)}, and this version knows no agent by name` : 'nothing';
  const flag = path.includes('.') ? '' : ` into pdlc.yaml, or give --${path} COMMAND`;
  const message = `${path}: expected the command that starts the agent, found ${found}; write ${path.split('.').at(-1)}: { command: [program, argument] }${flag}`;
  return { command: { command: [], env: {}, pass: [] }, problems: [problem(path, message)] };
}

const problem = (path: string, message: string): ConfigProblem => ({ path, line: null, column: null, message });

const noUnit = problem(
  'checks.unit',
  'checks.unit: expected the command that runs the tests, found nothing; write checks: { unit: COMMAND } into pdlc.yaml (pdlc init proposes one), give --verify COMMAND, or run without proof with --honor',
);

function dropRepeated(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.filter(({ message }, index) => problems.findIndex((other) => other.message === message) === index);
}

function warningOf(name: string, run: string): string[] {
  const why = maskedExit(run);
  return why ? [`checks.${name}: expected a command whose exit code tells pass from fail, found ${JSON.stringify(run)}: ${why}`] : [];
}
