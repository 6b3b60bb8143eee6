import { z } from 'zod';
import { oneOf, quote } from './phrases.js';
import type { Nouns } from './source.js';

const MAX_KEYS_LISTED = 8;

/** Describes in a few words what a schema accepts: `a map (binary, env)`, `'from_config'`, `a string`. */
export function describeSchema(schema: unknown, nouns: Nouns): string {
  if (schema instanceof z.ZodLiteral) return oneOf(literals(schema).map(quote));
  if (schema instanceof z.ZodObject) {
    const keys = knownKeys(schema);
    return keys.length > MAX_KEYS_LISTED ? nouns.map : `${nouns.map} (${keys.join(', ')})`;
  }
  if (schema instanceof z.ZodUnion) {
    const key = (schema.def as { discriminator?: string }).discriminator;
    return key === undefined
      ? oneOf(schema.options.map((option) => describeSchema(option, nouns)))
      : `${nouns.map} with a ${key}`;
  }
  return schema instanceof z.ZodType ? describeType(schema.def.type, nouns) : 'another value';
}

/** Describes a type, given by its name in zod's issues. */
export function describeType(type: string, nouns: Nouns): string {
  const names: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: nouns.list,
    object: nouns.map,
    record: nouns.map,
  };
  return names[type] ?? type;
}

/** The keys of a map's schema; empty for other schemas. */
export const knownKeys = (schema: unknown): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** The values that a literal schema allows, as strings; empty for other schemas. */
export const literals = (schema: unknown): string[] =>
  schema instanceof z.ZodLiteral ? [...schema.values].map(String) : [];
