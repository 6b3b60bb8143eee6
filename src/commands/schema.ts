import { jsonSchemaOf, type SchemaName } from '../scenario/json-schema.js';
import { printJson } from './output.js';

/** `schema`: the JSON Schema of a file that users write, for editors and other programs. */
export function schema(name: SchemaName): number {
  printJson(jsonSchemaOf(name));
  return 0;
}
