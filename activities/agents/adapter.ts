// Owns what the engine knows of an agent CLI: how it is started and what its output says. Pure: request to command line, text to reading.
import type { Role } from '../../machines/contract/attempt.js';
import type { AgentCommand } from '../../machines/contract/config.js';
import type { Stage } from '../../machines/contract/stage.js';
import type { Usage } from '../../machines/contract/usage.js';

/** One agent process to start: for whom, where in the run, and the commit an evaluator has to judge (null for the others). */
export type AgentRequest = {
  command: AgentCommand;
  role: Role;
  featureId: string;
  stage: Stage;
  step: number;
  attempt: number;
  model: string | null;
  commit: string | null;
};

/** Command line and the environment variables that the adapter itself sets. */
export type AgentStart = { argv: string[]; env: Record<string, string> };

/** What an agent's output says: its last text, its usage, and the card an evaluator returned (unchecked; undefined: none). */
export type AgentReading = { text: string; usage: Usage; card: unknown };

/** One agent CLI; both functions are pure and never throw. */
export interface AgentAdapter {
  start(request: AgentRequest): AgentStart;
  read(output: string): AgentReading;
}
