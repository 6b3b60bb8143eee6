import { canonicalJson, contains, type Json } from '#lib';
import type { Call, When } from './call.js';
import { evaluateMatcher, type EvaluateMatcher } from './matcher.js';

interface Matching {
  matches: boolean;
  /** The reason why the matcher could not be evaluated. Null if it could, or was not needed. */
  matcherError: string | null;
}

interface MatchOptions {
  evaluate?: EvaluateMatcher;
  /** True if the input of the call is what `when.input` asks for. */
  matchesInput?: (given: Json, wanted: Json) => boolean;
  /** True if the arguments of the call are what `when.partialArgs` asks for; by default, in any order. */
  matchesPartialArgs?: (given: readonly Json[], wanted: readonly Json[]) => boolean;
}

/** True if every part of `when` is true for a call. A matcher is evaluated only if the other parts are true. */
export function matchesWhen(
  { args, partialArgs = [], input, context, matcher }: When,
  call: Call,
  { evaluate = evaluateMatcher, matchesInput = contains, matchesPartialArgs = hasInAnyOrder }: MatchOptions = {},
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

/** The specificity of a mock: of those that match, the one with the most points answers. */
export const specificity = ({ args, input, context, matcher, partialArgs }: When): number =>
  (args === undefined ? 0 : 10) +
  (input === undefined ? 0 : 8) +
  (context === undefined ? 0 : 6) +
  (matcher === undefined ? 0 : 4) +
  (partialArgs === undefined ? 0 : 2);

const hasInAnyOrder = (given: readonly Json[], wanted: readonly Json[]): boolean =>
  wanted.every((part) => given.some((arg) => contains(arg, part)));

const isEqual = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

/** The part of a mock that decides whether and when it answers, whatever it mocks. */
interface Mocking {
  when: When;
  metadata: { delay: number; probability: number };
}

/** A mock that may answer a call, and the call as this mock sees it. */
interface Candidate<M> {
  /** Index of the mock in the scenario. */
  index: number;
  mock: M;
  call: Call;
}

/** The answer to a call. */
export interface MockAnswer<Result> {
  /** Index of the mock that answers. */
  mock: number;
  delayMs: number;
  /** True if the call fails by chance (`metadata.probability`). */
  failedByChance: boolean;
  result: Result;
}

export interface MockChoice<Result> {
  /** Null if no mock matches. */
  answer: MockAnswer<Result> | null;
  /** Matchers that threw, and so did not match. */
  matcherErrors: MatcherError[];
}

interface MatcherError {
  /** Index of the mock. */
  mock: number;
  message: string;
}

export interface AnswerOptions extends Pick<MatchOptions, 'evaluate'> {
  /** At least 0 and below 1. */
  random: number;
}

/**
 * Decides how a call is answered: by the most specific candidate that matches it, or the first of equally specific
 * ones. `resultOf` gives the result of that mock; `byChance` is whether the call fails by chance.
 */
export function chooseMock<M extends Mocking, Result>(
  candidates: readonly Candidate<M>[],
  { random, ...options }: AnswerOptions & MatchOptions,
  resultOf: (candidate: Candidate<M>, byChance: boolean) => Result,
): MockChoice<Result> {
  const matcherErrors: MatcherError[] = [];
  const matching = candidates.filter(({ index, mock, call }) => {
    const { matches, matcherError } = matchesWhen(mock.when, call, options);
    if (matcherError !== null) matcherErrors.push({ mock: index, message: matcherError });
    return matches;
  });
  const [best] = matching.sort((a, b) => specificity(b.mock.when) - specificity(a.mock.when));
  if (best === undefined) return { answer: null, matcherErrors };
  const { delay, probability } = best.mock.metadata;
  const failedByChance = random < probability;
  const result = resultOf(best, failedByChance);
  return { answer: { mock: best.index, delayMs: delay, failedByChance, result }, matcherErrors };
}

/** The message of a call that fails by chance. */
export const chanceMessage = (probability: number): string => `failed by chance (probability ${probability})`;
