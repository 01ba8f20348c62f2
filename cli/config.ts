// Owns which configuration a run gets: the base commit's pdlc.yaml, else the checkout's, else test-commands.yml, else `--verify`; and what is said about it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlob } from '../activities/git/read.js';
import { parseConfig } from '../activities/project/config-file.js';
import type { ConfigProblem } from '../activities/project/config-problem.js';
import { type ConfigFlags, resolveConfig } from '../activities/project/resolve.js';
import { parseTestCommands } from '../activities/project/test-commands.js';
import type { Config, ConfigFile } from '../machines/contract/config.js';
import type { Context } from './context.js';
import { usageError } from './error.js';
import type { Feature } from './feature.js';

/** Largest configuration file that is read, in bytes. */
const configBytesMax = 1_048_576;
const configName = 'pdlc.yaml';
const testCommandsName = 'docs/00_standards/test-commands.yml';

/** The configuration of a run with the place it came from and sentences for the person. */
export type LoadedConfig = { config: Config; source: string; notices: string[] };

/** Reads and resolves the configuration as of `base`; 64 naming file, key, line and the nearest right key when it cannot be used. */
export async function loadConfig(context: Context, feature: Feature, at: { base: string; flags: ConfigFlags; honor: boolean }): Promise<LoadedConfig> {
  const { file, source, notices } = await readConfig(context, feature, at.base);
  const resolved = resolveConfig({ file, flags: { ...fallback(context), ...at.flags }, honor: at.honor });
  if (!resolved.ok) throw usageError(withAdvice(resolved.problems, source));
  return { config: resolved.config, source, notices: [...notices, ...resolved.warnings] };
}

/** A person's own agent, for projects that name none. */
function fallback({ env }: Context): ConfigFlags {
  return env.PDLC_AGENT ? { fallbackAgent: env.PDLC_AGENT } : {};
}

type Read = { file: ConfigFile; source: string; notices: string[] };

async function readConfig(context: Context, feature: Feature, base: string): Promise<Read> {
  const inBase = await textAt(context, feature, { base, path: configName });
  const inCheckout = textInCheckout(join(feature.repo.top, configName));
  const text = inBase ?? inCheckout;
  if (text !== null) {
    const parsed = parseConfig(text, configName);
    if (!parsed.ok) throw usageError(parsed.problems.map(({ message }) => message).join('\n'));
    return {
      file: parsed.file,
      source: inBase === null ? `${configName} of the checkout` : `${configName} of ${base.slice(0, 10)}`,
      notices: noticesOf(inBase, inCheckout),
    };
  }
  const commands = (await textAt(context, feature, { base, path: testCommandsName })) ?? textInCheckout(join(feature.repo.top, testCommandsName));
  if (commands === null) return { file: {}, source: 'flags', notices: [] };
  const parsed = parseTestCommands(commands, testCommandsName);
  if (!parsed.ok) throw usageError(parsed.problems.map(({ message }) => message).join('\n'));
  return { file: parsed.file, source: testCommandsName, notices: [] };
}

function noticesOf(inBase: string | null, inCheckout: string | null): string[] {
  if (inBase === null) return [`${configName} is not committed yet: the checkout's is used and kept for this run`];
  return inCheckout !== null && inCheckout !== inBase ? [`${configName} of the checkout differs from the base commit's, which is used`] : [];
}

async function textAt({ git }: Context, { repo }: Feature, { base, path }: { base: string; path: string }): Promise<string | null> {
  const blob = await readBlob({ git, gitDir: repo.commonDir, commit: base, path, bytesMax: configBytesMax });
  if (blob.kind === 'too_large') throw usageError(`${path}: expected at most ${configBytesMax} bytes, found ${blob.sizeBytes}`);
  return blob.kind === 'found' ? blob.bytes.toString() : null;
}

function textInCheckout(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // absent or a folder: then there is none
  }
}

function withAdvice(problems: ConfigProblem[], source: string): string {
  const advice = source === 'flags' ? 'Make a configuration with: pdlc init' : `Correct ${source}`;
  return `${problems.map(({ message }) => message).join('\n')}\n${advice}`;
}
