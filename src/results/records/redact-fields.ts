import type { Json } from '../../lib/json.js';
import { maskHomes } from '../../lib/redaction/redact-patterns.js';

/**
 * What redaction does to a field. `kept`: an id, a name that somebody chose for it, a number. `path`: a file, which is kept
 * but for the name of a home folder. `redacted`: text that people, agents or commands have written, or JSON with such text,
 * its keys too. `values`: only the keys are kept.
 */
type Treatment = 'kept' | 'path' | 'redacted';

/** How each field of a shape is treated. A new field is a type error until somebody has decided. */
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

/** A copy in which texts are masked; ids, names and numbers stay as they are. A field that is not known is masked. */
export const redactFields = <T>(value: T, treatments: Treatments<T>, redact: (text: string) => string): T =>
  apply(value, treatments, redact) as T;

function apply(value: unknown, treatments: AnyTreatments, redact: (text: string) => string): unknown {
  const isText = typeof value === 'string';
  // A number has its meaning by its field, whatever value it is equal to.
  if (treatments === 'kept' || value === null || (!isText && typeof value !== 'object')) return value;
  if (treatments === 'path') return isText ? maskHomes(value) : value;
  // As JSON, in which a name such as "password" makes its value a secret.
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
