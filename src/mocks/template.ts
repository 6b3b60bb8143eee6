import { isJsonObject, type Json, ownValue } from '#lib';
import type { Call } from './call.js';

/** The placeholders that the templates of a kind of mock can have. */
export interface Placeholders {
  /** Matches the name of every placeholder that stands for something. */
  known: RegExp;
  /** The names for messages. */
  examples: readonly string[];
}

/** `${...}`, or `$${...}` for a literal `${...}`. */
const PLACEHOLDER = /\$(\$?)\{([^}]*)\}/g;

/** The steps from a value to a part of it: `.name` or `[0]`. */
export const STEPS_INTO = String.raw`(?:\.[\w$-]+|\[\d+\])*`;

const STEP_INTO = /\.([\w$-]+)|\[(\d+)\]/g;

/** The names of the placeholders in a template, without `${` and `}`. */
export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].filter(([, escape]) => escape === '').map(([, , name = '']) => name);

/** Messages about the placeholders of a template that stand for nothing. */
export const placeholderProblems = (template: string, { known, examples }: Placeholders): string[] =>
  placeholdersIn(template)
    .filter((name) => !known.test(name))
    .map(
      (name) =>
        `unknown placeholder \${${name}}; expected ${examples.map((example) => `\${${example}}`).join(', ')}; $\${...} is the literal text \${...}`,
    );

/**
 * Fills in a template. A value is used as it is, even if it contains `${...}`: text as text, anything else as JSON. A
 * value that is missing is empty.
 */
export const fillTemplate = (template: string, call: Call): string =>
  template.replace(PLACEHOLDER, (_, escape: string, name: string) =>
    escape === '' ? textOf(valueOf(name, call)) : `\${${name}}`,
  );

/** Fills in every text inside a value, except the keys of maps. */
export function fillJson(value: Json, call: Call): Json {
  if (typeof value === 'string') return fillTemplate(value, call);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, call));
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, call)]))
    : value;
}

/**
 * Fills in a template whose result is a value: one that begins with `{` or `[` is read as JSON. Where the template
 * itself is JSON, it is read first, so that a quote in a value cannot add anything to it.
 */
export function fillToValue(template: string, call: Call): Json {
  const written = asJson(template);
  if (typeof written !== 'string') return fillJson(written, call);
  return asJson(fillTemplate(template, call));
}

/** All texts inside a value, except the keys of maps, with their paths. */
export function* textsIn(value: Json, path: (string | number)[] = []): Generator<TextInside> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* textsIn(item, [...path, at]);
  else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
}

interface TextInside {
  path: (string | number)[];
  text: string;
}

function asJson(text: string): Json {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The part of a call that a placeholder names, such as `args[0].id`; undefined if there is none. */
export function valueOf(name: string, call: Call): Json | undefined {
  const [first = ''] = /^\w+/.exec(name) ?? [];
  const whole = { args: [...call.args], input: call.input, context: { ...call.context } };
  return [...name.slice(first.length).matchAll(STEP_INTO)].reduce<Json | undefined>(
    (value, [, key, index]) =>
      index !== undefined
        ? Array.isArray(value)
          ? value[Number(index)]
          : undefined
        : isJsonObject(value)
          ? ownValue(value, key ?? '')
          : undefined,
    ownValue(whole, first),
  );
}

const textOf = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
