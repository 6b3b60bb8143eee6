import { z } from 'zod';
import { Config } from './config.js';
import { Rubric } from './rubric.js';
import { ScenarioFile } from './yaml/schema.js';

/** Files that users write, by the name of their schema: one line each. */
const files = {
  scenario: { schema: ScenarioFile, title: 'A scenario of llm-tool-test' },
  config: { schema: Config, title: 'llm-tool-test-config.toml' },
  rubric: { schema: Rubric, title: 'A rubric of llm-tool-test' },
} as const;

export type SchemaName = keyof typeof files;
export const schemaNames = Object.keys(files) as SchemaName[];

/**
 * JSON Schema (draft-7) of a file as it is written: defaults may be left out. It says less than the check itself (it
 * knows no fixtures, and no grammar of patterns), and refuses nothing that the check accepts.
 */
export function jsonSchemaOf(name: SchemaName): Record<string, unknown> {
  const { schema, title } = files[name];
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', override: tidy });
  return { $schema, title, ...rest };
}

/** Takes away what tells a reader nothing: the limits of safe integers, and "nothing" as a default. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (['{}', '[]'].includes(JSON.stringify(jsonSchema.default))) delete jsonSchema.default;
}
