import { z } from 'zod';
import { describeSchema, describeType } from './describe-schema.js';
import { explainUnion } from './explain-union.js';
import { didYouMean, oneOf, quote, versus } from './phrases.js';
import type { Nouns } from './source.js';

type RawIssue = z.core.$ZodRawIssue;

/**
 * The message of an issue: what was expected and what is there. A schema's own message wins over it (zod asks
 * the schema first). undefined leaves it to zod; an empty string to the caller, who looks into the union.
 */
export function explain(issue: RawIssue, nouns: Nouns): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return versus(expectation(issue, nouns), issue.input, nouns) + quotesHint(issue);
    case 'invalid_value':
      return choice(issue.values.map(String), issue.input, nouns);
    case 'too_small':
      return versus(
        bound(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least'),
        issue.input,
        nouns,
      );
    case 'too_big':
      return versus(
        bound(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most'),
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

/** `unknown key 'evalution'; did you mean 'evaluation'?` */
export function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key ${quote(key)}; ${didYouMean(key, known) ?? `known here: ${known.join(', ') || 'none'}`}`;
}

function choice(options: readonly string[], input: unknown, nouns: Nouns): string {
  const message = versus(oneOf(options.map(quote)), input, nouns);
  const hint = didYouMean(input, options);
  return hint === null ? message : `${message}; ${hint}`;
}

const expectation = (issue: Extract<RawIssue, { code?: 'invalid_type' }>, nouns: Nouns): string =>
  issue.inst instanceof z.ZodObject ? describeSchema(issue.inst, nouns) : describeType(issue.expected, nouns);

function bound(origin: string, limit: number | bigint, how: string): string {
  if (origin === 'string') return limit === 1 ? 'some text' : `${how} ${limit} characters`;
  if (origin === 'array') return `${how} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return `${origin === 'int' ? 'a whole number' : 'a number'} of ${how} ${limit}`;
}

/** Unquoted `8080` and `true` are the usual reason why a string is none. */
const quotesHint = ({ expected, input }: Extract<RawIssue, { code?: 'invalid_type' }>): string =>
  expected === 'string' && (typeof input === 'number' || typeof input === 'boolean')
    ? `; write "${input}"`
    : '';
