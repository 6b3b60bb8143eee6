import { z } from 'zod';
import { describeSchema, literals } from './describe-schema.js';
import { didYouMean, oneOf, quote, versus } from './phrases.js';
import type { Nouns } from './source.js';

type Issue = z.core.$ZodIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** The message for a value whose kind no branch of the union accepts. Empty if a branch accepts its kind. */
export function explainUnion(
  union: unknown,
  branches: readonly Issue[][],
  input: unknown,
  nouns: Nouns,
): string {
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
  // zod's input is the whole map here
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
  return branches.reduce(
    (best, branch) => (weight(branch) < weight(best) ? branch : best),
    branches[0] ?? [],
  );
}

const isOtherKind = (issues: readonly Issue[]): boolean =>
  issues.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'));
