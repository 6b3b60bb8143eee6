import { groupBy } from '#lib';
import {
  isStratumTested as isTestedStratum,
  neededRuns,
  otherScenarios,
  passAtK,
  passHatK,
  shrunkRates,
} from '#statistics';
import {
  DIFFERENCE_TO_SHOW,
  POWER,
  type ComparedConfiguration,
  type Comparison,
  type ComparisonOptions,
} from './document.js';
import { stratumOf } from './findings.js';
import type { Looks } from './looks.js';
import { measuresOf } from './measures.js';
import { sumOfSides, type Pair } from './arms.js';

type Total = Comparison['total'];

export const isPairTested = (pair: Pair): boolean => isTestedStratum(stratumOf(pair));

/** Adds up several configurations, as far as they have tested runs on both sides. */
export function sumOf(
  pairs: readonly Pair[],
  { alpha }: Pick<ComparisonOptions, 'alpha'>,
): Pick<Total, 'base' | 'head' | 'measures'> {
  const tested = pairs.filter(isPairTested);
  const sideOf = (name: keyof Pair) =>
    sumOfSides(
      tested.map((pair) => pair[name].side),
      pairs.map((pair) => pair[name].side),
    );
  return { base: sideOf('base'), head: sideOf('head'), measures: measuresOf(tested, { alpha }) };
}

/**
 * Returns how reliably the configurations pass if they are tried k times, where k is half of the fewest runs that one
 * has been tried: of more tries, so few runs tell little.
 */
export function reliabilityOf(pairs: readonly Pair[], options: Pick<ComparisonOptions, 'alpha'>): Total['reliability'] {
  const tested = pairs.filter(isPairTested);
  const k = Math.ceil(Math.min(...tested.flatMap(({ base, head }) => [base.side.tested, head.side.tested])) / 2);
  const of = (name: keyof Pair) => {
    const counts = tested.map((pair) => pair[name].side);
    const [some, all] = [passAtK(counts, k, options), passHatK(counts, k, options)];
    return some && all && { pass_at_k: some, pass_hat_k: all };
  };
  const [base, head] = [of('base'), of('head')];
  return base && head && { k, base, head };
}

/**
 * Returns how many more runs it takes to show a loss of the margin, or a difference of 20 points, and the level at
 * which they would be tested: that of the next look, or of this one if its runs are enough.
 */
export function neededFor(
  pairs: readonly Pair[],
  { alpha, margin }: ComparisonOptions,
  { levelAfter }: Pick<Looks, 'levelAfter'>,
): Total['needed'] {
  const difference = margin ?? DIFFERENCE_TO_SHOW;
  const strata = pairs.map(stratumOf);
  const neededAt = (level: number): number | null => neededRuns(strata, { difference, alpha: level, power: POWER });
  let [level, runs] = [alpha, neededAt(alpha)];
  if (runs === null) return null;
  // The level hardly depends on their number, so this settles at once.
  for (let round = 0; round < MAX_ROUNDS && runs > 0; round++) {
    level = levelAfter(runs);
    const found = neededAt(level) ?? 0;
    if (found === runs) break;
    runs = found;
  }
  return { difference, power: POWER, runs, alpha: level };
}

const MAX_ROUNDS = 5;

/** Returns what to expect of other scenarios. Agents, models and variants of a scenario are not other scenarios. */
export const otherScenariosOf = (
  pairs: readonly Pair[],
  options: Pick<ComparisonOptions, 'alpha'>,
): Total['other_scenarios'] =>
  otherScenarios(
    groupBy(pairs, ({ head }) => head.configuration.scenario).map((group) => group.map(stratumOf)),
    options,
  );

/** Estimates the pass rates of configurations from those of all scenarios with the same agent, model and variant. */
export function estimatesOf(
  pairs: readonly Pair[],
  options: Pick<ComparisonOptions, 'alpha'>,
): Map<Pair, NonNullable<ComparedConfiguration['estimate']>> {
  const groups = groupBy(pairs.filter(isPairTested), ({ head: { configuration } }) =>
    JSON.stringify([configuration.agent, configuration.model, configuration.variant]),
  );
  return new Map(
    groups.flatMap((group) => {
      const of = (name: keyof Pair) =>
        shrunkRates(
          group.map((pair) => pair[name].side),
          options,
        );
      const [bases, heads] = [of('base'), of('head')];
      return group.flatMap((pair, at) => {
        const [base, head] = [bases?.[at], heads?.[at]];
        return base === undefined || head === undefined ? [] : [[pair, { base, head }] as const];
      });
    }),
  );
}
