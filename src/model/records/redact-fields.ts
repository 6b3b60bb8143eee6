import { z } from 'zod';
import { maskHomes } from '#lib';

const redaction = z.registry<{ treatment: 'kept' | 'path' }>();

/**
 * A text that stays as it is: an id, a name that a user chose, a digest, a time. Any other text of a record is
 * redacted.
 */
export const KeptText = z.string().register(redaction, { treatment: 'kept' });

/** A file, in which only the name of a home folder is masked. */
export const PathText = z.string().register(redaction, { treatment: 'path' });

/**
 * Returns a copy with masked texts: those written by people, agents or commands, and JSON with such texts, including
 * its keys. Texts that the schema marks as kept stay, as do enums and numbers. Fields that the schema does not have are
 * masked.
 */
export const redactFields = <S extends z.ZodType>(
  value: z.output<S>,
  schema: S,
  redact: (text: string) => string,
): z.output<S> => apply(value, schema, redact) as z.output<S>;

function apply(value: unknown, schema: z.core.$ZodType, redact: (text: string) => string): unknown {
  const isText = typeof value === 'string';
  // A number gets its meaning from its field; one that equals a secret is no secret.
  if (value === null || (!isText && typeof value !== 'object')) return value;
  const treatment = treatmentOf(schema, value);
  if (treatment === 'kept') return value;
  if (treatment === 'path' && isText) return maskHomes(value);
  // Redacted as JSON, where a key such as "password" makes its value a secret.
  if (typeof treatment === 'string' || isText) return JSON.parse(redact(JSON.stringify(value))) as unknown;
  if (Array.isArray(value)) return value.map((item) => apply(item, treatment(''), redact));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, apply(field, treatment(key), redact)]));
}

type Treatment = 'kept' | 'path' | 'redacted' | ((key: string) => z.core.$ZodType);

const UNKNOWN = z.unknown();

/** Returns how redaction treats a value; for one with parts, the schema of each. What it does not know is redacted. */
function treatmentOf(schema: z.core.$ZodType, value: unknown): Treatment {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- every other kind is redacted
  switch (def.type) {
    case 'optional':
    case 'nonoptional':
    case 'nullable':
    case 'default':
      return treatmentOf(def.innerType, value);
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
      return 'kept';
    case 'string':
      return redaction.get(schema as z.ZodString)?.treatment ?? 'redacted';
    case 'array':
      return treatmentOf(def.element, undefined) === 'redacted' ? 'redacted' : () => def.element;
    case 'record':
      return treatmentOf(def.keyType, undefined) === 'kept' ? () => def.valueType : 'redacted';
    case 'object':
      return (key) => (Object.hasOwn(def.shape, key) ? def.shape[key] : undefined) ?? UNKNOWN;
    case 'union': {
      // A union without discriminator has none of these options.
      const { discriminator } = def as z.core.$ZodDiscriminatedUnionDef;
      const kind = (value as Record<string, z.core.util.Primitive> | undefined)?.[discriminator];
      const option = def.options.find(({ _zod }) => _zod.propValues?.[discriminator]?.has(kind));
      return option === undefined ? 'redacted' : treatmentOf(option, value);
    }
    case 'intersection': {
      const [left, right] = [def.left, def.right].map((side) => treatmentOf(side, value));
      if (typeof left !== 'function' || typeof right !== 'function') return 'redacted';
      return (key) => [left(key), right(key)].find((field) => field !== UNKNOWN) ?? UNKNOWN;
    }
    default:
      return 'redacted';
  }
}
