import { z } from 'zod';
import { Rubric } from '#gates';
import { AgentEvent } from '#model';
import { Config } from './config.js';
import { ScenarioFile } from './yaml/schema.js';

/** Texts that users write, by the name of the schema: files, and the lines that their agents print. */
const files = {
  scenario: { schema: ScenarioFile, title: 'A scenario of llm-tool-test' },
  config: { schema: Config, title: 'llm-tool-test-config.toml' },
  rubric: { schema: Rubric, title: 'A rubric of llm-tool-test' },
  events: { schema: AgentEvent, title: 'A line of an agent of llm-tool-test with output = "jsonl"' },
} as const;

export type SchemaName = keyof typeof files;
export const schemaNames = Object.keys(files) as SchemaName[];

/**
 * The JSON Schema (draft-7) of what users write, as they write it: fields that have a default are optional. It accepts
 * every file that the real check accepts, and some more: it cannot check fixtures or the syntax of patterns.
 */
export function jsonSchemaOf(name: SchemaName): Record<string, unknown> {
  const { schema, title } = files[name];
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: tidy,
  });
  return { $schema, title, ...rest };
}

/** Removes what does not help a reader: the limits of safe integers, and empty defaults. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (['{}', '[]'].includes(JSON.stringify(jsonSchema.default))) delete jsonSchema.default;
}
