import { sum, type Count, type Stratum } from './counts.js';

/** Rounding errors must not make equally probable tables differ; fisher.test of R has the same tolerance. */
const TOLERANCE = 1e-7;

/**
 * Two-sided exact conditional test of whether runs of head pass as often as runs of base. Returns the probability,
 * assuming no difference in any stratum, of a number of passes in head that is at most as probable as the observed one,
 * given the numbers of runs and passes in each stratum. With one stratum this is Fisher's exact test.
 *
 * R. A. Fisher, Statistical Methods for Research Workers, 5th ed. (1934), section 21.02; for strata N. Mantel and W.
 * Haenszel, JNCI 22 (1959) 719-748, exact as in C. R. Mehta, N. R. Patel and R. Gray, JASA 80 (1985) 969-973.
 * mantelhaen.test(exact = TRUE) of R computes the same, and fisher.test agrees with it.
 */
export function exactTest(strata: readonly Stratum[]): number {
  const { first, probabilities } = passesOfHead(strata);
  const observed = probabilities[sum(strata, ({ head }) => head.passed) - first] ?? 0;
  const most = observed * (1 + TOLERANCE);
  const p = probabilities.reduce((all, probability) => (probability <= most ? all + probability : all), 0);
  // A probability too small for a number is still not 0.
  return Math.min(1, Math.max(p, Number.MIN_VALUE));
}

/** Returns the smallest p that so many runs can give: all runs of one side pass, and none of the other. */
export const smallestP = (strata: readonly Stratum[]): number =>
  exactTest(
    strata.map(({ base, head }) => ({
      base: { passed: 0, tested: base.tested },
      head: { passed: head.tested, tested: head.tested },
    })),
  );

/**
 * Returns the runs per side that each of the configurations (1 or more) needs so that any difference can be
 * significant.
 */
export function minimumRuns(configurations: number, alpha: number): number {
  const side = (runs: number): Count => ({ passed: 0, tested: runs });
  const strata = (runs: number): Stratum[] =>
    Array.from({ length: configurations }, () => ({ base: side(runs), head: side(runs) }));
  let runs = 1;
  while (smallestP(strata(runs)) > alpha) runs += 1;
  return runs;
}

/**
 * Returns by how much the share of passed runs is larger in head: the mean of the strata's differences, with the
 * weights of Mantel and Haenszel; null if no stratum has runs on both sides. It has the sign of the test's statistic,
 * which is the number of passes in head less the expected number.
 */
export function meanDifference(strata: readonly Stratum[]): number | null {
  const weight = ({ base, head }: Stratum): number =>
    base.tested + head.tested === 0 ? 0 : (base.tested * head.tested) / (base.tested + head.tested);
  const all = sum(strata, weight);
  if (all === 0) return null;
  const difference = ({ base, head }: Stratum): number =>
    head.passed / head.tested - base.passed / base.tested;
  return sum(strata, (stratum) => (weight(stratum) === 0 ? 0 : weight(stratum) * difference(stratum))) / all;
}

/** Probability of each possible number of passes in head, from `first` on. */
interface Distribution {
  first: number;
  probabilities: number[];
}

/** Convolves the distributions of the strata, which are hypergeometric and independent. */
function passesOfHead(strata: readonly Stratum[]): Distribution {
  const most = Math.max(0, ...strata.map(({ base, head }) => base.tested + head.tested));
  const log = logFactorials(most);
  return strata
    .map((stratum) => hypergeometric(stratum, log))
    .reduce(
      (all, one) => ({
        first: all.first + one.first,
        probabilities: convolve(all.probabilities, one.probabilities),
      }),
      { first: 0, probabilities: [1] },
    );
}

function hypergeometric({ base, head }: Stratum, log: readonly number[]): Distribution {
  const passed = base.passed + head.passed;
  const all = base.tested + head.tested;
  const first = Math.max(0, passed - base.tested);
  const last = Math.min(passed, head.tested);
  const factorial = (n: number): number => log[n] ?? 0;
  const choose = (n: number, k: number): number => factorial(n) - factorial(k) - factorial(n - k);
  return {
    first,
    probabilities: Array.from({ length: last - first + 1 }, (_, at) =>
      Math.exp(
        choose(head.tested, first + at) + choose(base.tested, passed - first - at) - choose(all, passed),
      ),
    ),
  };
}

/** Returns ln(n!) for n = 0..most. From n = 171 on, n! itself is too large for a number. */
function logFactorials(most: number): number[] {
  const logs = [0];
  for (let n = 1; n <= most; n++) logs.push((logs[n - 1] ?? 0) + Math.log(n));
  return logs;
}

function convolve(a: readonly number[], b: readonly number[]): number[] {
  const sums = new Float64Array(a.length + b.length - 1);
  for (const [i, left] of a.entries())
    for (const [j, right] of b.entries()) sums[i + j] = (sums[i + j] ?? 0) + left * right;
  return [...sums];
}
