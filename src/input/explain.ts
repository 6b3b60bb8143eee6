import { z } from 'zod';
import { ownValue } from '#lib';
import { describeSchema, describeType, literals } from './describe-schema.js';
import { didYouMean, oneOf, quote, versus } from './phrases.js';
import type { Nouns } from './source.js';

type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** The message for a value whose kind no branch of the union accepts. Empty if a branch accepts its kind. */
function explainUnion(union: unknown, branches: readonly Issue[][], input: unknown, nouns: Nouns): string {
  if (!branches.every(isOtherKind)) return '';
  const options = union instanceof z.ZodUnion ? union.options : [];
  const message = versus(describeSchema(union, nouns), input, nouns);
  const hint = didYouMean(input, options.flatMap(literals));
  return hint === null ? message : `${message}; ${hint}`;
}

/** The message for an unknown or missing discriminator (`type`). Null if the issue is about something else. */
export function explainDiscriminator(
  { discriminator, path, input, ...issue }: UnionIssue,
  nouns: Nouns,
): string | null {
  if (discriminator === undefined || path.at(-1) !== discriminator) return null;
  const names = ('options' in issue ? (issue.options ?? []) : []).map(String);
  // `zod`'s input is the whole map here.
  const typed = (input as Record<string, unknown> | undefined)?.[discriminator];
  if (typeof typed !== 'string') return versus(oneOf(names.map(quote)), typed, nouns);
  const hint = didYouMean(typed, names);
  return `unknown ${discriminator} ${quote(typed)}; ${hint === null ? '' : `${hint} `}known: ${names.join(', ')}`;
}

/**
 * Returns the issues of the union's branch that the author most likely meant: it accepts this kind of value,
 * knows its keys, and has the fewest issues below them.
 */
export function branchMeant(branches: readonly Issue[][]): Issue[] {
  const cost = (issue: Issue): number =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? 100 * issue.keys.length : 1;
  const weight = (issues: readonly Issue[]): number =>
    (isOtherKind(issues) ? 10_000 : 0) + issues.reduce((sum, issue) => sum + cost(issue), 0);
  return branches.reduce((best, branch) => (weight(branch) < weight(best) ? branch : best), branches[0] ?? []);
}

const isOtherKind = (issues: readonly Issue[]): boolean =>
  issues.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'));

type RawIssue = z.core.$ZodRawIssue;

/**
 * The message of an issue: what was expected, and what was found. zod uses a schema's own message instead, if it has
 * one. Returns undefined to use zod's message, and '' for a union whose branches the caller must inspect.
 */
export function explain(issue: RawIssue, nouns: Nouns): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return versus(expectation(issue, nouns), issue.input, nouns) + remedy(issue);
    case 'invalid_value':
      return choice(issue.values.map(String), issue.input, nouns);
    case 'too_small':
      return versus(
        bound(issue.origin, issue.minimum, issue.inclusive === false ? 'above' : 'of at least'),
        issue.input,
        nouns,
      );
    case 'too_big':
      return versus(
        bound(issue.origin, issue.maximum, issue.inclusive === false ? 'below' : 'of at most'),
        issue.input,
        nouns,
      );
    case 'invalid_union':
      return explainUnion(issue.inst, issue.errors, issue.input, nouns);
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'custom':
      return undefined;
  }
}

const NO_RUNTIME = 'only a file in the form of ElizaOS describes its runtime (name it *.scenario.yaml)';

/** Keys that other test harnesses use in a place that has the key `beside`, and what to use here instead. */
const ELSEWHERE: Record<string, { beside: string; use: string }> = {
  character: { beside: 'setup', use: NO_RUNTIME },
  plugins: { beside: 'setup', use: NO_RUNTIME },
  conversation: { beside: 'code', use: 'conversations are not supported yet' },
  database: {
    beside: 'mocks',
    use: 'a database is not filled yet; write files, or fill it with a command',
  },
  mocks: { beside: 'setup', use: 'write it into setup' },
  responseFn: { beside: 'response', use: 'JavaScript is not run; use placeholders in response' },
};

/** `unknown key 'evalution'; did you mean 'evaluation'?` */
export function unknownKey(key: string, known: readonly string[]): string {
  const elsewhere = ownValue(ELSEWHERE, key);
  if (elsewhere !== undefined && known.includes(elsewhere.beside)) return `unknown key ${quote(key)}: ${elsewhere.use}`;
  return `unknown key ${quote(key)}; ${didYouMean(key, known) ?? `known keys: ${known.join(', ') || 'none'}`}`;
}

function choice(options: readonly string[], input: unknown, nouns: Nouns): string {
  const message = versus(oneOf(options.map(quote)), input, nouns);
  const hint = didYouMean(input, options);
  return hint === null ? message : `${message}; ${hint}`;
}

type TypeIssue = Extract<RawIssue, { code?: 'invalid_type' }>;

function expectation({ inst, expected }: TypeIssue, nouns: Nouns): string {
  if (inst instanceof z.ZodObject || inst instanceof z.ZodUnion) return describeSchema(inst, nouns);
  return describeType(inst instanceof z.ZodNumberFormat ? 'int' : expected, nouns);
}

function bound(origin: string, limit: number | bigint, how: string): string {
  const least = how.replace('of ', '');
  if (origin === 'string') return limit === 1 ? 'some text' : `${least} ${limit} characters`;
  if (origin === 'array') return `${least} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return `${origin === 'int' ? 'a whole number' : 'a number'} ${how} ${limit}`;
}

/** Suggests a fix for common mistakes that give a value the wrong type. Empty if there is nothing to suggest. */
function remedy({ inst, expected, input, path }: TypeIssue): string {
  const write = (value: string): string => `; write ${value}`;
  if (expected === 'string' && (typeof input === 'number' || typeof input === 'boolean')) {
    return write(`"${input}"`);
  }
  if (typeof input !== 'string') return '';
  const text = input.trim();
  if (inst instanceof z.ZodArray) {
    return inst.element instanceof z.ZodString && /^[^\n]{1,40}$/.test(text) ? write(JSON.stringify([text])) : '';
  }
  // Words for true and false in older YAML.
  if (expected === 'boolean' && /^(yes|on|true)$/i.test(text)) return write('true');
  if (expected === 'boolean' && /^(no|off|false)$/i.test(text)) return write('false');
  if (expected !== 'number' && expected !== 'int') return '';
  if (/^-?\d+(\.\d+)?$/.test(text)) return write(`${text}, without quotes`);
  if (/^\d+(\.\d+)?%$/.test(text)) return write(String(Number(text.slice(0, -1)) / 100));
  return String(path?.at(-1)).endsWith('_secs') ? write('the seconds as a plain number, like 90') : '';
}
