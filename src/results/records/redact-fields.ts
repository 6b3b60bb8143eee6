import type { Json } from '../../lib/json.js';
import { maskHomes } from '../../lib/redaction/redact-patterns.js';

/**
 * How redaction treats a field. `kept`: it stays as it is (an id, a name that a user chose, a number). `path`: a file,
 * in which only the name of a home folder is masked. `redacted`: text written by people, agents or commands, or JSON
 * with such text, including its keys. `values`: the same, but the keys are kept.
 */
type Treatment = 'kept' | 'path' | 'redacted';

/** The treatment of each field of a shape. A new field is a type error until its treatment is decided. */
export type Treatments<T> = [NonNullable<Json>] extends [T]
  ? Treatment
  : [T] extends [readonly (infer Item)[]]
    ? Treatments<NonNullable<Item>>
    : [T] extends [object]
      ? string extends keyof T
        ? Treatment | 'values'
        : { [Key in keyof T]-?: Treatments<NonNullable<T[Key]>> }
      : string extends T
        ? Treatment
        : 'kept';

type AnyTreatments = Treatment | 'values' | { [key: string]: AnyTreatments };

/** Returns a copy with masked texts. Ids, names and numbers stay as they are. Unknown fields are masked. */
export const redactFields = <T>(value: T, treatments: Treatments<T>, redact: (text: string) => string): T =>
  apply(value, treatments, redact) as T;

function apply(value: unknown, treatments: AnyTreatments, redact: (text: string) => string): unknown {
  const isText = typeof value === 'string';
  // A number gets its meaning from its field; one that equals a secret is no secret.
  if (treatments === 'kept' || value === null || (!isText && typeof value !== 'object')) return value;
  if (treatments === 'path') return isText ? maskHomes(value) : value;
  // Redacted as JSON, where a key such as "password" makes its value a secret.
  if (treatments === 'redacted') return JSON.parse(redact(JSON.stringify(value))) as unknown;
  if (Array.isArray(value)) return value.map((item) => apply(item, treatments, redact));
  if (isText) return redact(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const known =
        treatments === 'values' ? 'redacted' : Object.hasOwn(treatments, key) ? treatments[key] : undefined;
      return [key, apply(field, known ?? 'redacted', redact)];
    }),
  );
}
