// Checks docker-compose.yml by reading it: pins, health, loopback, durable data, retention.
// Never needs a container engine.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { searchAttributes } from '../worker/stack/namespace.js';

const serviceSchema = z.looseObject({
  image: z.string(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()), retries: z.int() }).optional(),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});
const text = readFileSync(fileURLToPath(new URL('../docker-compose.yml', import.meta.url)), 'utf8');
const { services, volumes } = composeSchema.parse(parse(text, { merge: true }));
const oneShots = ['namespace', 'schema'];

test.each(Object.entries(services))('the image of %s is pinned to an exact version', (_, { image }) => {
  expect(image).toMatch(/:\d+\.\d+(\.\d+)?$/);
});

test('server and admin tools have the same version', () => {
  const [server, ...tools] = [services.temporal, services.schema, services.namespace].map((service) => service?.image.split(':')[1]);
  expect(tools).toEqual([server, server]);
});

test('every long-running service has a health check with a limit', () => {
  const longRunning = Object.entries(services).filter(([name]) => !oneShots.includes(name));
  expect(longRunning.filter(([, { healthcheck }]) => !healthcheck)).toEqual([]);
});

test('every service waits for the health or the success of what it needs', () => {
  expect(Object.fromEntries(Object.entries(services).map(([name, { depends_on }]) => [name, depends_on]))).toEqual({
    postgres: {},
    schema: { postgres: { condition: 'service_healthy' } },
    temporal: { schema: { condition: 'service_completed_successfully' } },
    namespace: { temporal: { condition: 'service_healthy' } },
    ui: { namespace: { condition: 'service_completed_successfully' } },
  });
});

test('ports are published on loopback only, and the database on none', () => {
  const published = Object.values(services).flatMap(({ ports }) => ports);
  expect(published).toEqual(['127.0.0.1:7233:7233', '127.0.0.1:8080:8080']);
  expect(services.postgres?.ports).toEqual([]);
});

test('the data of the database is in a named volume', () => {
  expect(Object.keys(volumes)).toEqual(['pdlc-postgres']);
  expect(services.postgres?.volumes).toEqual(['pdlc-postgres:/var/lib/postgresql/data']);
});

test('the password comes from the environment, the same for all three that need it', () => {
  const { postgres, schema, temporal } = services;
  const given = [postgres?.environment.POSTGRES_PASSWORD, schema?.environment.SQL_PASSWORD, temporal?.environment.POSTGRES_PWD];
  expect(new Set(given)).toEqual(new Set([`\${PDLC_DB_PASSWORD:-temporal}`]));
});

test('the namespace is made with 30 days of retention and the search attributes of a run', () => {
  const script = services.namespace?.command.join('\n') ?? '';
  expect(script).toContain('namespace create -n pdlc --retention 720h');
  for (const name of searchAttributes) expect(script).toContain(`--name ${name}`);
});

test('no worker runs in a container', () => {
  expect(Object.keys(services).sort()).toEqual(['namespace', 'postgres', 'schema', 'temporal', 'ui']);
  expect(text).toContain('TEMPORAL_ADDRESS=127.0.0.1:7233 TEMPORAL_NAMESPACE=pdlc pdlc worker');
});
