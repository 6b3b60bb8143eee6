import { z } from 'zod';
import { workspaceFile } from '#input';
import { isMap } from '#lib';

/*
 * Statements about a result. Suites write them as texts, or as maps with a type. A map becomes a text, and a text that
 * says something simple becomes a gate that asks no model.
 */

/** The keys that have the text of an assertion, in the order in which they are looked for. */
const TEXTS = ['text', 'assertion', 'statement', 'expectation', 'criterion', 'check', 'description', 'prompt'];
const VALUES = ['value', 'substring', 'expected', 'contains', 'pattern', 'path', 'file', 'target'];
/** These turn the meaning of an assertion around, so they must not be ignored. */
const NEGATIONS = ['negate', 'negated', 'not', 'invert', 'inverse'];

/** Types of assertions that need no model, and the statements that say the same. */
const TYPES: Readonly<Record<string, (value: string) => string>> = {
  contains: (value) => `The answer contains ${JSON.stringify(value)}.`,
  includes: (value) => `The answer contains ${JSON.stringify(value)}.`,
  output_contains: (value) => `The answer contains ${JSON.stringify(value)}.`,
  response_contains: (value) => `The answer contains ${JSON.stringify(value)}.`,
  regex: (value) => `The answer matches ${JSON.stringify(value)}.`,
  matches: (value) => `The answer matches ${JSON.stringify(value)}.`,
  file_exists: (value) => `The file ${JSON.stringify(value)} exists.`,
  not_contains: (value) => `The answer does not contain ${JSON.stringify(value)}.`,
};

const textAt = (map: Record<string, unknown>, keys: readonly string[]): string | undefined =>
  keys.map((key) => map[key]).find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined;

/** An assertion of a suite, as a statement. */
export const Assertion = z.unknown().transform((written, context): string => {
  const refuse = (message: string): string => {
    context.addIssue({ code: 'custom', message, input: written });
    return '';
  };
  if (typeof written === 'string')
    return written.trim() === '' ? refuse('expected a statement about the result, got an empty string') : written;
  if (!isMap(written)) return refuse('expected a statement about the result: a text, or a map with text');
  const negation = NEGATIONS.find((key) => written[key] !== undefined && written[key] !== false);
  if (negation !== undefined) return refuse(`'${negation}' is not supported; state the opposite as text`);
  const type = (textAt(written, ['type', 'kind']) ?? '').toLowerCase().replaceAll('-', '_');
  const value = textAt(written, VALUES);
  const typed = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  const text = textAt(written, TEXTS);
  if (typed !== undefined && value !== undefined) return typed(value);
  return text ?? refuse('expected a statement about the result, in the key text');
});

/** The statements that say that a text is in the answer, and that one is not. */
export const containing = (value: string): string => `The answer contains ${JSON.stringify(value)}.`;
export const notContaining = (value: string): string => `The answer does not contain ${JSON.stringify(value)}.`;

const QUOTED = String.raw`("(?:[^"\\]|\\.)+"|'[^']+'|` + '`[^`]+`)';
const ANSWER = '(?:the )?(?:final )?(?:answer|response|output|reply)';
const FILE = '(?:the |a )?(?:output )?(?:file )?(?:named |called )?';
const pattern = (text: string): RegExp => new RegExp(`^${text}\\.?$`, 'i');

const unquote = (quoted: string): string | null => {
  if (!quoted.startsWith('"')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
};

type SimpleGate = { type: string } & Record<string, string>;

const isPath = (path: string): boolean => workspaceFile.safeParse(path).success && /^[\w./-]+$/.test(path);

const RULES: readonly { of: RegExp; gate: (first: string, second: string) => SimpleGate | null }[] = [
  {
    of: pattern(`${ANSWER} (?:contains|includes) (?:the (?:text|word|phrase|string) )?${QUOTED}`),
    gate: (substring) => ({ type: 'response_contains', substring }),
  },
  {
    of: pattern(`${ANSWER} matches (?:the (?:pattern|regex) )?${QUOTED}`),
    gate: (regex) => ({ type: 'response_matches', pattern: regex }),
  },
  {
    of: pattern(`${FILE}${QUOTED} (?:exists|(?:is|was|has been) (?:created|written))`),
    gate: (path) => (isPath(path) ? { type: 'file_exists', path } : null),
  },
  {
    of: pattern(`(?:it |the agent )?(?:creates|created|writes|wrote) ${FILE}${QUOTED}`),
    gate: (path) => (isPath(path) ? { type: 'file_exists', path } : null),
  },
  {
    of: pattern(`${FILE}${QUOTED} (?:contains|includes) (?:the (?:text|word|phrase|string) )?${QUOTED}`),
    gate: (path, substring) => (isPath(path) ? { type: 'file_contains', path, substring } : null),
  },
];

/** The gate that checks a statement without a model; null if it does not say something that simple. */
export function gateOf(statement: string): SimpleGate | null {
  for (const { of, gate } of RULES) {
    const [, first, second = '""'] = of.exec(statement.trim()) ?? [];
    const [one, two] = [first === undefined ? null : unquote(first), unquote(second)];
    const made = one === null || two === null || one.trim() === '' ? null : gate(one, two);
    if (made !== null) return made;
  }
  return null;
}
