import { z } from 'zod';
import type { Path } from '../../src/input/source.js';

/** A place in a schema where users write something, and what can be wrong there. */
export interface Field {
  /** `evaluation.gates[](script).timeout_secs`: `[]` is any item, `.*` any key, `(x)` the branch of a union. */
  name: string;
  required: boolean;
  /** The permitted words, if the field has a list of them. */
  words: string[];
  rules: Rule[];
}

/** One way to be wrong. Many fields can share an identity: a zod check, or the schema itself for its type. */
interface Rule {
  identity: unknown;
  /** The text to write to break it. */
  breach: string;
}

const WHOLE = new WeakMap<z.ZodType, object>();
const wholeOf = (schema: z.ZodType): object => {
  const known = WHOLE.get(schema) ?? {};
  WHOLE.set(schema, known);
  return known;
};

type Wrapper = z.ZodType & { def: { innerType?: z.ZodType; in?: z.ZodType } };

/** The schema without optionality, default and transformation. */
function bare(schema: unknown): z.ZodType {
  const { def } = schema as Wrapper;
  const inner = def.innerType ?? def.in;
  return inner === undefined ? (schema as z.ZodType) : bare(inner);
}

const isOptional = (schema: z.ZodType): boolean =>
  schema._zod.optin === 'optional' || schema.safeParse(undefined).success;

const discriminatorOf = (schema: z.ZodUnion): string | undefined =>
  (schema.def as { discriminator?: string }).discriminator;

/** The branches of a discriminated union, by the word that selects each. */
const branchesOf = (schema: z.ZodUnion, key: string): Map<string, z.ZodObject> =>
  new Map(
    (schema.options as z.ZodObject[]).flatMap((option) =>
      wordsOf(bare(option.shape[key])).map((word): [string, z.ZodObject] => [word, option]),
    ),
  );

function wordsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String);
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).map(bare).flatMap(wordsOf);
  return [];
}

interface Limit {
  check: string;
  value?: number;
  minimum?: number;
  maximum?: number;
  inclusive?: boolean;
}

function breachOf({ check, value, minimum, maximum, inclusive }: Limit): string {
  const edge = inclusive === false ? ' or equal to' : '';
  switch (check) {
    case 'greater_than':
      return `a number below${edge} ${value}`;
    case 'less_than':
      return `a number above${edge} ${value}`;
    case 'min_length':
      return `fewer than ${minimum} items or characters`;
    case 'max_length':
      return `more than ${maximum} items or characters`;
    default:
      return 'what its own check refuses (blank, malformed, used twice ...)';
  }
}

function rulesOf(schema: z.ZodType): Rule[] {
  const checks = (schema.def.checks ?? []) as { _zod: { def: Limit } }[];
  const rules = checks.map((check) => ({ identity: check, breach: breachOf(check._zod.def) }));
  const wrong = schema instanceof z.ZodString ? '3' : schema instanceof z.ZodLazy ? '.nan' : 'wrong';
  rules.push({ identity: schema as never, breach: `a value of another type, like \`${wrong}\`` });
  if (schema instanceof z.ZodNumberFormat) rules.push({ identity: wholeOf(schema) as never, breach: 'a fraction' });
  return rules;
}

/** All fields of a schema, at every depth. */
export function fieldsOf(root: z.ZodType): Field[] {
  const visit = (of: unknown, name: string, required: boolean): Field[] => {
    const schema = bare(of);
    const own: Field = { name, required, words: wordsOf(schema), rules: rulesOf(schema) };
    return [...(name === '' ? [] : [own]), ...below(schema, name, true)];
  };
  const below = (schema: z.ZodType, name: string, certain: boolean): Field[] => {
    if (schema instanceof z.ZodObject)
      return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, child]) =>
        visit(child, join(name, key), certain && !isOptional(child)),
      );
    if (schema instanceof z.ZodArray) return visit(schema.element, `${name}[]`, false);
    if (schema instanceof z.ZodRecord) {
      const rules = rulesOf(bare(schema.keyType)).filter(({ identity }) => identity !== schema.keyType);
      const keys = rules.length === 0 ? [] : [{ name: `${name}.{key}`, required: false, words: [], rules }];
      return [...keys, ...visit(schema.valueType, `${name}.*`, false)];
    }
    if (!(schema instanceof z.ZodUnion)) return [];
    const key = discriminatorOf(schema);
    // It is not certain which branch is meant if a key is missing.
    if (key === undefined)
      return (schema.options as z.ZodType[]).flatMap((option) =>
        below(bare(option), `${name}${mark(bare(option), schema)}`, false),
      );
    const branches = branchesOf(schema, key);
    return [
      { name: join(name, key), required: true, words: [...branches.keys()], rules: [] },
      ...[...branches].flatMap(([word, option]) =>
        below(option, `${name}(${word})`, true).filter((field) => field.name !== `${name}(${word}).${key}`),
      ),
    ];
  };
  return visit(root, '', true);
}

/** The end of a path into a value: the name of the field, and the schemas from the root to it with their values. */
export interface Place {
  name: string;
  value: unknown;
  above: { schema: z.ZodType; value: unknown; path: Path }[];
}

/** null for what no schema describes: unknown keys, fields of a gate without a type. */
export function placeOf(root: z.ZodType, whole: unknown, path: Path): Place | null {
  let schema = bare(root);
  let value = whole;
  let name = '';
  const above: Place['above'] = [{ schema, value, path: [] }];
  for (const [depth, part] of path.entries()) {
    const step = stepInto(schema, value, part, name);
    if (step === null) return null;
    name = step.name;
    value = step.isKey ? part : (value as Record<PropertyKey, unknown> | undefined)?.[part];
    if (step.schema === null) return { name, value, above };
    schema = bare(step.schema);
    above.push({ schema, value, path: path.slice(0, depth + 1) });
    if (step.isKey) return { name, value, above };
  }
  return { name, value, above };
}

interface Step {
  /** null for the word that selects the branch of a union. */
  schema: unknown;
  name: string;
  /** The problem is the key itself, not its value. */
  isKey?: boolean;
}

function stepInto(schema: z.ZodType, value: unknown, part: PropertyKey, name: string): Step | null {
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, unknown>;
    const key = String(part);
    return Object.hasOwn(shape, key) ? { schema: shape[key], name: join(name, key) } : null;
  }
  if (schema instanceof z.ZodArray) return { schema: schema.element, name: `${name}[]` };
  if (schema instanceof z.ZodRecord) {
    const key = schema.keyType as z.ZodType;
    if (!key.safeParse(part).success) return { schema: key, name: `${name}.{key}`, isKey: true };
    return { schema: schema.valueType, name: `${name}.*` };
  }
  if (!(schema instanceof z.ZodUnion)) return schema instanceof z.ZodLazy ? { schema, name } : null;
  const options = (schema.options as z.ZodType[]).map(bare);
  const key = discriminatorOf(schema);
  if (key === undefined) {
    const into = (option: z.ZodType) => stepInto(option, value, part, `${name}${mark(option, schema)}`);
    const [option] = options
      .filter((one) => into(one) !== null)
      .sort((a, b) => unknownKeys(a, value) - unknownKeys(b, value));
    return option === undefined ? null : into(option);
  }
  if (part === key) return { schema: null, name: join(name, key) };
  const word = (value as Record<string, unknown> | undefined)?.[key];
  const option = branchesOf(schema, key).get(String(word));
  return option === undefined ? null : stepInto(option, value, part, `${name}(${String(word)})`);
}

/** `(command)`: the first key of a map, where a union has several kinds of maps. */
function mark(option: z.ZodType, union: z.ZodUnion): string {
  const maps = (union.options as z.ZodType[]).map(bare).filter((one) => one instanceof z.ZodObject);
  return option instanceof z.ZodObject && maps.length > 1 ? `(${Object.keys(option.shape)[0] ?? ''})` : '';
}

/** Counts the keys of a value that a map's schema does not know. */
const unknownKeys = (schema: z.ZodType, value: unknown): number =>
  schema instanceof z.ZodObject && typeof value === 'object' && value !== null
    ? Object.keys(value).filter((key) => !Object.hasOwn(schema.shape as object, key)).length
    : 0;

/** The rules broken at a place, according to the innermost schema that reports exactly this path. */
export function rulesBroken({ above, value }: Place, path: Path): unknown[] {
  if (value === undefined) return [];
  for (const level of above.toReversed()) {
    const payload = { value: level.value, issues: [] as z.core.$ZodRawIssue[] };
    void level.schema._zod.run(payload, { async: false });
    const rest = JSON.stringify(path.slice(level.path.length));
    const broken = payload.issues.filter((issue) => JSON.stringify(issue.path ?? []) === rest);
    if (broken.length === 0) continue;
    if (level.schema instanceof z.ZodLazy) return [level.schema];
    return broken.map(({ inst, code, input }) =>
      code === 'invalid_type' && typeof input === 'number' && inst instanceof z.ZodNumberFormat ? wholeOf(inst) : inst,
    );
  }
  return [];
}

/** Every path in a value, the value itself first. */
export function pathsIn(value: unknown, path: Path = []): Path[] {
  const entries = Array.isArray(value)
    ? [...value.entries()]
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [path, ...entries.flatMap(([key, child]) => pathsIn(child, [...path, key]))];
}

/** The path of `evaluation.gates[1].type` or `setup.files["a/b.txt"]`. */
export const parsePath = (text: string): Path =>
  [...text.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\.?([\w-]+)/g)].map(([, index, quoted, key]) =>
    index === undefined ? (key ?? (JSON.parse(`"${quoted}"`) as string)) : Number(index),
  );

const join = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);
