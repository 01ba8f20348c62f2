// Owns reading docs/00_standards/test-commands.yml, in which existing projects keep their checks. Never writes it.
import { z } from 'zod';
import { type ConfigFile, checkTimeoutMs } from '../../machines/contract/config.js';
import { type ConfigReading, parseChecked } from './config-file.js';

/** Path of the file inside a repository. */
export const testCommandsPath = 'docs/00_standards/test-commands.yml';

const command = z.string().nullable().optional();
const testCommandsSchema = z.strictObject({ unit: command, coverage: command, lint: command, e2e: command });

/** The configuration that a test-commands.yml amounts to: its checks; an empty command is one that is not used. */
export function parseTestCommands(text: string, fileName: string): ConfigReading {
  const reading = parseChecked(text, { fileName, schema: testCommandsSchema });
  if (!reading.ok) return reading;
  const used = Object.entries(reading.data).flatMap(([name, run]) =>
    run?.trim() ? [[name, { run: run.trim(), timeout: checkTimeoutMs, env: {} }] as const] : [],
  );
  const file: ConfigFile = { checks: Object.fromEntries(used) };
  return { ok: true, file };
}
