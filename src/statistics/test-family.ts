import type { Stratum } from './counts.js';
import { testDifference, type TestedDifference } from './test-difference.js';

/**
 * Returns the p values of several tests, adjusted so that the chance of any false alarm among them stays below the
 * level that each is compared with; in the given order. S. Holm, "A simple sequentially rejective multiple test
 * procedure", Scandinavian Journal of Statistics 6 (1979) 65-70.
 */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let highest = 0;
  for (const [rank, { p, at }] of ps
    .map((p, at) => ({ p, at }))
    .sort((a, b) => a.p - b.p)
    .entries()) {
    highest = Math.max(highest, Math.min(1, p * (ps.length - rank)));
    adjusted[at] = highest;
  }
  return adjusted;
}

interface TestedMember extends TestedDifference {
  /** p allowing for the number of tests; decides the verdict. */
  adjusted_p: number | null;
}

/**
 * Tests several differences that may share runs, such as those between all pairs of agents, so that the chance of any
 * false alarm among them is at most alpha. Tests that no outcome of so few runs could decide do not count: R. E.
 * Tarone, "A modified Bonferroni method for discrete data", Biometrics 46 (1990) 515-522. Of the others, those with the
 * smallest p come first: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6 (1979) 65-70. The interval of a test has the level at which it was decided, so that verdict and interval
 * agree. `atLeast`: p of each is no smaller.
 */
export function testFamily(
  family: readonly (readonly Stratum[])[],
  { alpha, atLeast = [] }: { alpha: number; atLeast?: readonly number[] },
): TestedMember[] {
  const testAt = (at: number, level: number) =>
    testDifference(family[at] ?? [], { alpha: level, atLeast: atLeast[at] ?? 0 });
  const tests = family.map((_, at) => ({ at, ...testAt(at, alpha) }));
  const size = familySize(
    tests.flatMap(({ smallest_p: smallest }) => smallest ?? []),
    alpha,
  );
  const decidable = tests
    .filter(({ smallest_p: smallest }) => smallest !== null && smallest <= alpha / size)
    .sort((a, b) => (a.p ?? 1) - (b.p ?? 1));
  const adjusted = holm(decidable.map(({ p }) => p ?? 1));
  const firstKept = adjusted.findIndex((p) => p > alpha);
  const members = new Map(
    decidable.map(({ at }, rank) => {
      // Where a test shows no difference, those with a larger p are decided at the same level.
      const step = firstKept === -1 ? rank : Math.min(rank, firstKept);
      return [at, { level: alpha / (decidable.length - step), adjusted_p: adjusted[rank] ?? 1 }];
    }),
  );
  return tests.map(({ at, p }) => {
    const { level, adjusted_p } = members.get(at) ?? {
      level: alpha / size,
      adjusted_p: p === null ? null : Math.min(1, p * size),
    };
    return { ...testAt(at, level), adjusted_p };
  });
}

/** The smallest number k, from 1 on, such that at most k tests can reach alpha / k. */
function familySize(smallest: readonly number[], alpha: number): number {
  let size = 1;
  while (smallest.filter((p) => p <= alpha / size).length > size) size += 1;
  return size;
}
