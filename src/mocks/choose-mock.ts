import type { Call, When } from './call.js';
import { matchesWhen, specificity, type MatchOptions } from './matches-when.js';

/** The part of a mock that decides whether and when it answers, whatever it mocks. */
interface Mocking {
  when: When;
  metadata: { delay: number; probability: number };
}

/** A mock that may answer a call, and the call as this mock sees it. */
export interface Candidate<M> {
  /** Index of the mock in the scenario. */
  index: number;
  mock: M;
  call: Call;
}

/** How a call is answered. */
export interface MockAnswer<Result> {
  /** Index of the mock that answers. */
  mock: number;
  delayMs: number;
  /** Whether the call fails by chance (`metadata.probability`). */
  failedByChance: boolean;
  result: Result;
}

export interface Decision<Result> {
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
 * Decides how a call is answered: by the most specific candidate that matches it, or the first of equally specific ones.
 * `resultOf` gives the result of that mock; `byChance` is whether the call fails by chance.
 */
export function chooseMock<M extends Mocking, Result>(
  candidates: readonly Candidate<M>[],
  { random, ...options }: AnswerOptions & MatchOptions,
  resultOf: (candidate: Candidate<M>, byChance: boolean) => Result,
): Decision<Result> {
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

/** What a call that fails by chance says. */
export const chanceMessage = (probability: number): string => `failed by chance (probability ${probability})`;
