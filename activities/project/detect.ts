// Owns proposing a pdlc.yaml by looking at a project's files. Reads only, runs nothing, and never guesses: what was not found is a commented line.

import { formatDuration } from '../../machines/contract/duration.js';
import { defaultLimits } from '../../machines/contract/limits.js';
import { nodeClues } from './node-project.js';
import { goClues, javaClues, type Look, makeClues, phpClues, pythonClues, rubyClues, rustClues, testCommandsClues } from './other-projects.js';
import { type Clues, type ProjectFiles, projectFiles } from './project-files.js';

/** What a project gives away; `agentHint` names the coding agent that the repository holds settings of, when it is exactly one. */
export type Detection = Clues & { agentHint: string | null };

/** Places that are looked at; the first that knows how to run the tests decides, and those after it are only mentioned. */
const looks: readonly Look[] = [testCommandsClues, nodeClues, pythonClues, goClues, rustClues, javaClues, phpClues, rubyClues, makeClues];

/** Looks at the files of a project. */
export function detectProject(dir: string): Detection {
  const files = projectFiles(dir);
  const found = looks.flatMap((look) => look(files) ?? []);
  const main = found.find(({ checks }) => checks.unit) ?? found[0];
  const { agentHint, evidence } = agentClues(files);
  if (!main) return { packageManager: null, runner: null, setup: null, checks: {}, agentHint, evidence };
  // A list of commands or a Makefile says nothing on dependencies; then the one manifest that does is asked.
  const installers = main.packageManager ? [main] : found.filter(({ setup }) => setup);
  const installer = installers.length === 1 ? installers[0] : undefined;
  const others = found.filter((one) => one !== main && one !== installer).flatMap(({ evidence }) => evidence.map((line) => `also: ${line}`));
  return {
    packageManager: installer?.packageManager ?? null,
    runner: main.runner ?? installer?.runner ?? null,
    setup: installer?.setup ?? null,
    checks: main.checks,
    agentHint,
    evidence: [...main.evidence, ...(installer && installer !== main ? installer.evidence : []), ...others, ...evidence],
  };
}

/** The text of a pdlc.yaml for a project: what was found as settings, everything else as comments to fill in. */
export function proposeConfig({ setup, checks, agentHint, evidence }: Detection): string {
  const { steps, attempts, usd, usdPerAttempt, wall, deadline } = defaultLimits;
  const line = (name: string, value: string | undefined, note: string): string => (value ? `${name}: ${scalar(value)}` : `# ${name}:   # ${note}`);
  const names = ['unit', 'coverage', 'lint', 'e2e'] as const;
  const hasChecks = names.some((name) => checks[name]);
  return [
    '# How pdlc sets up, checks and limits the work on a feature. Concluded from:',
    ...(evidence.length > 0 ? evidence : ['nothing that it knows']).map((fact) => `#   ${fact.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 140)}`),
    '',
    '# The program that works, with its arguments: it reads its prompt on stdin and edits the files of its working directory.',
    `# agent: { command: [${(agentHint && agentCommands[agentHint]) || 'program, argument'}] }`,
    '',
    '# Runs once in every fresh checkout; nothing else installs dependencies.',
    line('setup', setup ?? undefined, 'not found'),
    '',
    '# Exit code 0 is a pass and nothing else is. unit is required; thresholds belong inside the commands.',
    `${hasChecks ? '' : '# '}checks:`,
    ...names.map((name) => `  ${line(name, checks[name], 'not found')}`),
    '',
    '# What binds; these are the defaults.',
    `limits: { steps: ${steps}, attempts: ${attempts}, usd: ${usd}, usdPerAttempt: ${usdPerAttempt}, wall: ${formatDuration(wall)}, deadline: ${formatDuration(deadline)} }`,
    '',
  ].join('\n');
}

/** Arguments with which known agents work unattended; shown as a comment, since only a person can allow that. */
const agentCommands: Record<string, string> = {
  claude: 'claude, -p, --dangerously-skip-permissions',
  codex: 'codex, exec, --skip-git-repo-check, -s, workspace-write, "-"',
  opencode: 'opencode, run, --auto',
  pi: 'pi, -p',
  gemini: 'gemini, --approval-mode, yolo, --skip-trust',
};

const agentSigns: Record<string, string[]> = {
  claude: ['CLAUDE.md', '.claude'],
  codex: ['.codex'],
  opencode: ['opencode.json', 'opencode.jsonc', '.opencode'],
  pi: ['.pi'],
  gemini: ['GEMINI.md', '.gemini'],
};

function agentClues(files: ProjectFiles): { agentHint: string | null; evidence: string[] } {
  const found = Object.entries(agentSigns).flatMap(([name, signs]) =>
    signs.filter(files.has).map((sign) => ({ name, evidence: `${sign} belongs to ${name}` })),
  );
  const names = new Set(found.map(({ name }) => name));
  return { agentHint: names.size === 1 ? (found[0]?.name ?? null) : null, evidence: found.map(({ evidence }) => evidence) };
}

/** A value that YAML reads back as the same text. */
function scalar(text: string): string {
  return /^[A-Za-z./][A-Za-z0-9 ./@_=+,-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}
