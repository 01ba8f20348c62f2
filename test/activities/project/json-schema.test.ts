// Guarantees of the published JSON Schema. After a change of the configuration, write it again with: npx vitest run test/activities/project/json-schema.test.ts -u
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchemaText, descriptionAt, jsonSchemaOf, keysAt } from '../../../activities/project/json-schema.js';
import { configFileSchema } from '../../../machines/contract/config.js';

test('the published schema is the schema that parses', async () => {
  await expect(configSchemaText()).toMatchFileSnapshot(fileURLToPath(new URL('../../../pdlc.schema.json', import.meta.url)));
});

test('the published schema takes and refuses what parsing takes and refuses', () => {
  const published = z.fromJSONSchema(JSON.parse(configSchemaText()));
  const values: unknown[] = [
    {},
    { agent: { command: ['claude', '-p'] } },
    { agent: 'claude', checks: { unit: 'npm test', lint: { run: 'npm run lint', timeout: '5m', env: { CI: '1' } } } },
    { limits: { wall: 0, silence: '5m30s', steps: 4, tokens: 0 } },
    { seal: ['a/**'] },
    { seal: { paths: [], dependencies: 'refuse' } },
    { stages: { tdd: { model: 'x', limits: { attempts: 1 } } } },
    [],
    'text',
    { stepz: 1 },
    { limits: { wall: 30 } },
    { limits: { stepz: 1 } },
    { agent: 3 },
    { agent: { command: [] } },
    { checks: { Unit: 'x' } },
    { stages: { ship: {} } },
    { seal: { dependencies: 'never' } },
  ];
  const verdicts = (schema: z.ZodType) => values.map((value) => schema.safeParse(value).success);
  expect(verdicts(published)).toEqual(verdicts(configFileSchema));
});

test('the keys of every level can be asked for, through alternatives too', () => {
  const schema = jsonSchemaOf(configFileSchema);
  expect(keysAt(schema, [])).toContain('checks');
  expect(keysAt(schema, ['agent'])).toEqual(['command', 'env', 'pass']);
  expect(keysAt(schema, ['checks', 'anything'])).toEqual(['run', 'timeout', 'env']);
  expect(keysAt(schema, ['stages'])).toEqual(['tdd', 'implement', 'review']);
  expect(keysAt(schema, ['stages', 'tdd', 'limits'])).toEqual(['attempts', 'usdPerAttempt', 'wall', 'silence']);
  expect(keysAt(schema, ['nothing', '__proto__'])).toEqual([]);
  expect(descriptionAt(schema, ['limits', 'wall'])).toMatch(/a duration/);
  expect(descriptionAt(schema, ['limits', 'steps'])).toBeNull();
});
