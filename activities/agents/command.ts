// Owns the generic agent: any command that reads its prompt on stdin and leaves its work in the working directory. Its interface is documented in the README.
import { z } from 'zod';
import { tokensSchema, type Usage } from '../../machines/contract/usage.js';
import type { AgentAdapter, AgentReading, AgentRequest, AgentStart } from './adapter.js';
import { jsonObjectsIn } from './json-objects.js';

const resultLine = z.looseObject({
  type: z.literal('result'),
  text: z.string().optional(),
  usd: z.unknown().optional(),
  tokens: z.unknown().optional(),
  card: z.unknown().optional(),
});

/** The adapter of `agent: { command: [...] }`. */
export const commandAgent: AgentAdapter = { start, read };

function start({ command, role, featureId, stage, step, attempt, model, commit }: AgentRequest): AgentStart {
  const env: Record<string, string> = {
    PDLC_ROLE: role,
    PDLC_FEATURE_ID: featureId,
    PDLC_STAGE: stage,
    PDLC_STEP: String(step),
    PDLC_ATTEMPT: String(attempt),
    PDLC_AUTONOMOUS: '1',
    ...(model ? { PDLC_MODEL: model } : {}),
    ...(commit ? { PDLC_COMMIT: commit } : {}),
  };
  return { argv: command.command, env };
}

function read(output: string): AgentReading {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const result = resultLine.safeParse(parseJson(last));
  if (result.success) {
    const { text = '', usd, tokens, card } = result.data;
    return { text, usage: usageOf(usd, tokens), card: card ?? onlyObjectIn(text) };
  }
  return { text: output, usage: { usd: null, tokens: null }, card: onlyObjectIn(output) };
}

function usageOf(usd: unknown, tokens: unknown): Usage {
  // A negative, textual or infinite amount is no amount: unknown, never zero.
  const amount = z.number().finite().min(0).safeParse(usd);
  const counted = tokensSchema.safeParse(tokens);
  return { usd: amount.success ? amount.data : null, tokens: counted.success ? counted.data : null };
}

function onlyObjectIn(text: string): unknown {
  const objects = jsonObjectsIn(text);
  return objects.length === 1 ? objects[0] : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
