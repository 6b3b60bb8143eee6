import { z } from 'zod';
import type { Path } from '#input';
import { isMap, ownValue } from '#lib';

/** The schema below wrappers like a default; null if it is none with keys of its own. */
function below(schema: z.core.$ZodType): z.ZodObject | z.ZodArray | null {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodArray) return schema;
  return schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? below(schema.unwrap())
    : null;
}

/** Takes the keys that a schema does not know out of a value. Returns the rest, and the paths of those keys. */
export function withoutUnknownKeys(schema: z.core.$ZodType, value: unknown): { known: unknown; unknown: Path[] } {
  const unknown: Path[] = [];
  const visit = (of: z.core.$ZodType, one: unknown, path: Path): unknown => {
    const inner = below(of);
    if (inner instanceof z.ZodArray && Array.isArray(one))
      return one.map((item: unknown, at) => visit(inner.element, item, [...path, at]));
    if (!(inner instanceof z.ZodObject) || !isMap(one) || inner.def.catchall?._zod.def.type === 'unknown') return one;
    const { shape } = inner;
    return Object.fromEntries(
      Object.entries(one).flatMap(([key, item]) => {
        const field = ownValue<z.core.$ZodType>(shape, key);
        if (field !== undefined) return [[key, visit(field, item, [...path, key])]];
        unknown.push([...path, key]);
        return [];
      }),
    );
  };
  return { known: visit(schema, value, []), unknown };
}
