// Owns reading pdlc.yaml: text in, a checked file or problems with their lines out. Never reads a file itself and never throws.
import type { z } from 'zod';
import { type ConfigFile, configFileSchema } from '../../machines/contract/config.js';
import { type ConfigProblem, explain, pathText } from './config-problem.js';
import { parseYaml } from './yaml-text.js';

/** A problem with one key of a configuration. */
export type { ConfigProblem } from './config-problem.js';

/** A checked configuration file, or everything that is wrong with it. */
export type ConfigReading = { ok: true; file: ConfigFile } | { ok: false; problems: ConfigProblem[] };

/** Parses the text of a pdlc.yaml; `fileName` is how messages call it. */
export function parseConfig(text: string, fileName: string): ConfigReading {
  const reading = parseChecked(text, { fileName, schema: configFileSchema });
  return reading.ok ? { ok: true, file: reading.data } : reading;
}

/** Parses YAML text against a schema; a value that does not fit is told with its line, and unknown keys are told with the nearest right one. */
export function parseChecked<T>(
  text: string,
  { fileName, schema }: { fileName: string; schema: z.ZodType<T> },
): { ok: true; data: T } | { ok: false; problems: ConfigProblem[] } {
  const yaml = parseYaml(text, fileName);
  if (!yaml.ok) return yaml;
  const parsed = schema.safeParse(yaml.value);
  if (parsed.success) return { ok: true, data: parsed.data };
  const problems = explain(parsed.error.issues, { schema, value: yaml.value }).map(({ path, text }) => {
    const place = yaml.placeOf(path);
    return { path: pathText(path), ...place, message: `${fileName}:${place.line}: ${text}` };
  });
  return { ok: false, problems: problems.sort((a, b) => a.line - b.line || a.column - b.column) };
}
