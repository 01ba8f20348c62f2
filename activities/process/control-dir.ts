// The files of one control directory, their names, codecs and modes (directory 0700, files 0600).
// Must never hold a value of the environment, and never read a damaged record as anything but "not there".
// No read offset is kept: output is read from its end only, so that whoever attaches can neither skip nor repeat any.

import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { PdlcError } from '../../machines/contract/failure.js';
import { readIfPresent, writeOnce, writeWhole } from '../host/files.js';
import { isGroupOf } from './group.js';

const pidSchema = z.int().min(2);
const fileMode = 0o600;
const resultBytes = 64;

// The token must be safe in JSON, in shell text and in an environment.
const specSchema = z
  .object({
    token: z.string().regex(/^[A-Za-z0-9._:/@+-]{1,200}$/),
    argv: z.tuple([z.string().regex(/^[^-]/)], z.string()),
    cwd: z.string().refine(isAbsolute, 'must be an absolute path'),
    group: z.string().optional(),
  })
  .refine(({ token, group }) => group === undefined || isGroupOf(token, group), 'must name the group of its own token');
/** What is to run, written before anything is started. The token names the attempt; `group` is the folder of its control group, where one could be made. */
export type Spec = z.infer<typeof specSchema>;

const startRecordSchema = z.object({
  pid: pidSchema,
  startTime: z.string().min(1),
  bootId: z.string().min(1),
  token: z.string().min(1),
  supervisor: z.object({ pid: pidSchema, startTime: z.string().min(1) }),
});
/** Which process runs the command and which supervisor waits for it, by pid, kernel start time and boot. */
export type StartRecord = z.infer<typeof startRecordSchema>;

const resultSchema = z.object({ status: z.int().min(0) });

const breachSchema = z.object({ kind: z.enum(['timed_out', 'silent', 'flooded', 'cancelled']) });
/** Why the engine itself ended a process. Recorded before the first signal, so that a later watcher says the same. */
export type Breach = z.infer<typeof breachSchema>;

/** Absolute paths of the files in a control directory. */
export function filesOf(dir: string) {
  return {
    spec: join(dir, 'spec.json'),
    prompt: join(dir, 'prompt'),
    out: join(dir, 'out'),
    err: join(dir, 'err'),
    started: join(dir, 'started'),
    result: join(dir, 'result'),
    resultNext: join(dir, 'result.next'),
    breach: join(dir, 'breach'),
  };
}

/** Whether something is written down to run here: from then on its place is its own, and nobody may prepare it again. */
export async function isIntended(dir: string): Promise<boolean> {
  return access(filesOf(dir).spec).then(
    () => true,
    () => false,
  );
}

/** Whether what was to run here has ended and how is known: by its result, or because the engine ended it. */
export async function isSettled(dir: string): Promise<boolean> {
  return (await readResult(dir)) !== null || (await readBreach(dir)) !== null;
}

/** Takes away what ran here, so that it runs again, and keeps it beside for a look. For a process that is over and whose end says nothing. */
export async function setAside(dir: string): Promise<void> {
  await rename(dir, `${dir}.void-${randomUUID()}`);
}

/** Writes everything that a supervisor needs, the spec last, and returns the spec that stands: the first one written wins. */
export async function writeIntent(dir: string, spec: Spec, prompt: string | Uint8Array): Promise<Spec> {
  const files = filesOf(dir);
  const wanted = specSchema.parse(spec);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const standing = await readSpec(dir);
  if (standing) return standing;
  await writeWhole(files.prompt, prompt);
  await writeFile(files.out, '', { flag: 'a', mode: fileMode });
  await writeFile(files.err, '', { flag: 'a', mode: fileMode });
  await writeOnce(files.resultNext, `${' '.repeat(resultBytes - 1)}\n`);
  await writeOnce(files.spec, JSON.stringify(wanted));
  return (await readSpec(dir)) ?? wanted;
}

/** The recorded intent, null if there is none. Throws when it is damaged: running something else than what was recorded is never right. */
export async function readSpec(dir: string): Promise<Spec | null> {
  const file = filesOf(dir).spec;
  const text = await readIfPresent(file);
  if (text === null) return null;
  const spec = parseRecord(specSchema, text);
  if (spec) return spec;
  throw new PdlcError('control_conflict', `${file}: expected what to run (token, argv, cwd), found something else. Start a new attempt.`);
}

/** The start record; `torn` when it exists but is not whole (being written, or its writer died), null if there is none. */
export async function readStartRecord(dir: string): Promise<StartRecord | 'torn' | null> {
  const text = await readIfPresent(filesOf(dir).started);
  return text === null ? null : (parseRecord(startRecordSchema, text) ?? 'torn');
}

/** The shell's exit status of the command, null as long as no whole result is there. */
export async function readResult(dir: string): Promise<number | null> {
  return (await readRecord(resultSchema, filesOf(dir).result))?.status ?? null;
}

/** The recorded breach, null if the engine has not ended this process. */
export async function readBreach(dir: string): Promise<Breach | null> {
  return readRecord(breachSchema, filesOf(dir).breach);
}

/** Records why the engine ends the process. The first reason wins. */
export async function writeBreach(dir: string, breach: Breach): Promise<void> {
  await writeOnce(filesOf(dir).breach, JSON.stringify(breach));
}

async function readRecord<T>(schema: z.ZodType<T>, file: string): Promise<T | null> {
  const text = await readIfPresent(file);
  return text === null ? null : parseRecord(schema, text);
}

function parseRecord<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
