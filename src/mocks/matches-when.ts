import { canonicalJson, contains, type Json } from '#lib';
import type { Call, When } from './call.js';
import { evaluateMatcher, type EvaluateMatcher } from './matcher.js';

export interface Matching {
  matches: boolean;
  /** Why the matcher could not be evaluated. Null if it could, or was not needed. */
  matcherError: string | null;
}

export interface MatchOptions {
  evaluate?: EvaluateMatcher;
  /** Whether the input of the call is what `when.input` asks for. */
  matchesInput?: (given: Json, wanted: Json) => boolean;
  /** True if the arguments of the call are what `when.partialArgs` asks for; by default, in any order. */
  matchesPartialArgs?: (given: readonly Json[], wanted: readonly Json[]) => boolean;
}

/** Whether every part of `when` is true for a call. A matcher is evaluated only if the other parts are true. */
export function matchesWhen(
  { args, partialArgs = [], input, context, matcher }: When,
  call: Call,
  {
    evaluate = evaluateMatcher,
    matchesInput = contains,
    matchesPartialArgs = hasInAnyOrder,
  }: MatchOptions = {},
): Matching {
  const matches =
    (args === undefined || isEqual([...call.args], [...args])) &&
    matchesPartialArgs(call.args, partialArgs) &&
    (input === undefined || matchesInput(call.input, input)) &&
    (context === undefined || contains(call.context, context));
  if (!matches || matcher === undefined) return { matches, matcherError: null };
  try {
    return { matches: evaluate(matcher, call), matcherError: null };
  } catch (error) {
    return { matches: false, matcherError: String(error) };
  }
}

/** How specific a mock is: of those that match, the one with the most points answers. */
export const specificity = ({ args, input, context, matcher, partialArgs }: When): number =>
  (args === undefined ? 0 : 10) +
  (input === undefined ? 0 : 8) +
  (context === undefined ? 0 : 6) +
  (matcher === undefined ? 0 : 4) +
  (partialArgs === undefined ? 0 : 2);

const hasInAnyOrder = (given: readonly Json[], wanted: readonly Json[]): boolean =>
  wanted.every((part) => given.some((arg) => contains(arg, part)));

const isEqual = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);
