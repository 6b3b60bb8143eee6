import type { Stratum } from './counts.js';
import { logChoose } from './log-factorial.js';

/** Probability of each number of passes, from `first` on. */
export interface Distribution {
  first: number;
  probabilities: Float64Array;
}

/** Less probable numbers at both ends are left out. Otherwise, 50 strata of thousands of runs take seconds. */
const NEGLIGIBLE = 1e-60;

export const CERTAIN_ZERO: Distribution = { first: 0, probabilities: Float64Array.of(1) };

/**
 * Returns the distribution of the passes in head if there is no difference, given how many runs of both sides together
 * passed: hypergeometric for each stratum, and strata are independent.
 */
export const passesOfHead = (strata: readonly Stratum[]): Distribution =>
  strata.map(hypergeometric).reduce(add, CERTAIN_ZERO);

function hypergeometric({ base, head }: Stratum): Distribution {
  const passed = base.passed + head.passed;
  const first = Math.max(0, passed - base.tested);
  const last = Math.min(passed, head.tested);
  const all = logChoose(base.tested + head.tested, passed);
  const probabilities = Float64Array.from({ length: last - first + 1 }, (_, at) =>
    Math.exp(logChoose(head.tested, first + at) + logChoose(base.tested, passed - first - at) - all),
  );
  return withoutNegligible({ first, probabilities });
}

/** Returns the distribution of the sum of two independent numbers. */
export function add(a: Distribution, b: Distribution): Distribution {
  const [longer, shorter] =
    a.probabilities.length < b.probabilities.length
      ? [b.probabilities, a.probabilities]
      : [a.probabilities, b.probabilities];
  const probabilities = new Float64Array(longer.length + shorter.length - 1);
  // Loops over indices, because iterators are several times slower here.
  for (let i = 0; i < shorter.length; i++) {
    const factor = shorter[i] ?? 0;
    for (let j = 0; j < longer.length; j++)
      probabilities[i + j] = (probabilities[i + j] ?? 0) + factor * (longer[j] ?? 0);
  }
  return withoutNegligible({ first: a.first + b.first, probabilities });
}

/** Combines the probabilities of each number of the first distribution with those of the second. */
export const combine = (a: Distribution, b: Distribution, how: (a: number, b: number) => number): Distribution => ({
  first: a.first,
  probabilities: a.probabilities.map((one, at) => how(one, b.probabilities[a.first + at - b.first] ?? 0)),
});

function withoutNegligible({ first, probabilities }: Distribution): Distribution {
  let [low, high] = [0, probabilities.length];
  while (high - low > 1 && (probabilities[low] ?? 0) < NEGLIGIBLE) low += 1;
  while (high - low > 1 && (probabilities[high - 1] ?? 0) < NEGLIGIBLE) high -= 1;
  return { first: first + low, probabilities: probabilities.subarray(low, high) };
}

/** Probabilities of fewer passes than observed, of as many, and of more. */
export interface Tails {
  below: number;
  at: number;
  above: number;
}

export function tailsOf({ first, probabilities }: Distribution, observed: number): Tails {
  const index = observed - first;
  const sum = (part: Float64Array): number => part.reduce((all, one) => all + one, 0);
  return {
    below: sum(probabilities.subarray(0, Math.max(0, index))),
    at: probabilities[index] ?? 0,
    above: sum(probabilities.subarray(Math.max(0, index + 1))),
  };
}
