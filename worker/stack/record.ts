// Owns stack.json: which server and which worker of this PDLC_HOME were started, and on which ports.
// Never says that something is alive: that is for the reader to prove by process identity.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { namespaceName } from './namespace.js';
import type { StackPaths } from './paths.js';

const identitySchema = z.object({ pid: z.int().positive(), startTime: z.string(), bootId: z.string() });
const portSchema = z.int().min(1).max(65_535);

const recordSchema = z.object({
  ports: z.object({ server: portSchema, ui: portSchema }),
  server: z
    .object({
      identity: identitySchema,
      binary: z.string(),
      version: z.string(),
      database: z.string(),
      ready: z.boolean(),
    })
    .nullable(),
  worker: z.object({ identity: identitySchema, build: z.string(), address: z.string(), ready: z.boolean() }).nullable(),
});

/** What is known about the local stack; `ready` is false while a start has not been seen to succeed. */
export type StackRecord = z.infer<typeof recordSchema>;

/** The ports of the server and of its web UI, remembered so that links stay good. */
export type StackPorts = StackRecord['ports'];

/** Where the running local stack is: gRPC address host:port, namespace, and the URL of the web UI. */
export interface Stack {
  address: string;
  namespace: string;
  uiUrl: string;
}

/** The stack on these ports. */
export function stackAt(ports: StackPorts): Stack {
  return { address: serverAddress(ports), namespace: namespaceName, uiUrl: `http://127.0.0.1:${ports.ui}` };
}

/** The server's gRPC address, host:port. */
export function serverAddress(ports: StackPorts): string {
  return `127.0.0.1:${ports.server}`;
}

/** Reads stack.json; null when it is absent or is not a record, which both mean that nothing is known. */
export function readRecord(paths: StackPaths): StackRecord | null {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(readFileSync(paths.record, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Replaces stack.json at once; synchronous so that nothing can happen between a spawn and its record. */
export function writeRecord(paths: StackPaths, record: StackRecord): void {
  const temporary = `${paths.record}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, paths.record);
}
