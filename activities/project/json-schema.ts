// Owns the JSON Schema of pdlc.yaml, made from the schema that parses it so that the two cannot differ. `pdlc.schema.json` at the root is its text.
import { z } from 'zod';
import { configFileSchema } from '../../machines/contract/config.js';

/** One node of a JSON Schema. */
export type SchemaNode = z.core.JSONSchema.JSONSchema;

/** The text of `pdlc.schema.json`, in the form in which the formatter leaves it. */
export function configSchemaText(): string {
  const { $schema, ...schema } = jsonSchemaOf(configFileSchema);
  const titled = { $schema, title: 'pdlc.yaml', description: 'How pdlc sets up, checks and limits the work on a feature of this repository.', ...schema };
  const text = JSON.stringify(titled, null, 2);
  return `${text.replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`)}\n`;
}

/** The JSON Schema of what a zod schema accepts. */
export function jsonSchemaOf(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', override: ({ jsonSchema }) => mendDuration(jsonSchema) });
}

/** The keys that a schema allows at a path, in order. */
export function keysAt(schema: SchemaNode, path: readonly PropertyKey[]): string[] {
  const nodes = nodesAt(schema, path);
  const named = nodes.flatMap(({ properties, propertyNames }) => [...Object.keys(properties ?? {}), ...enumOf(propertyNames)]);
  return [...new Set(named)];
}

/** What a schema says in words about the value at a path, or null. */
export function descriptionAt(schema: SchemaNode, path: readonly PropertyKey[]): string | null {
  return nodesAt(schema, path).find(({ description }) => description !== undefined)?.description ?? null;
}

function mendDuration(node: SchemaNode): void {
  // A duration is text or 0; the `type` that its description brings along would shut out the 0.
  if (node.type === 'string' && node.anyOf) delete node.type;
}

function nodesAt(schema: SchemaNode, path: readonly PropertyKey[]): SchemaNode[] {
  return path.reduce<SchemaNode[]>((nodes, part) => nodes.flatMap((node) => branchesOf(childrenOf(node, part))), branchesOf([schema]));
}

function childrenOf({ properties, additionalProperties, items }: SchemaNode, part: PropertyKey): SchemaNode[] {
  const own = properties && Object.hasOwn(properties, part) ? properties[String(part)] : undefined;
  return [own ?? (typeof part === 'number' ? items : additionalProperties)].flat().filter(isNode);
}

/** A node with the alternatives that it offers. */
function branchesOf(nodes: readonly SchemaNode[]): SchemaNode[] {
  return nodes.flatMap((node) => [node, ...branchesOf((node.anyOf ?? []).filter(isNode))]);
}

const isNode = (value: unknown): value is SchemaNode => typeof value === 'object' && value !== null;

const enumOf = (names: SchemaNode['propertyNames']): string[] => (isNode(names) ? (names.enum ?? []).map(String) : []);
