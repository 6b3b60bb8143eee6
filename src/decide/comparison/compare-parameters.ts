import { canonicalJson } from '#lib';
import { capabilitiesIn, capabilityRates, type ResultLine } from '#model';
import { decide, highestSureP, holm, type Stratum } from '#statistics';
import { groupByParameter, type Combined, commonTrajectories } from '../by-parameter.js';
import type { ComparedParameter, ComparisonOptions } from './document.js';
import { boundedMargins, endsOf, isRobust, stratumOf, testOf } from './findings.js';
import type { Pair, SweepResults } from './arms.js';
import { isPairTested, sumOf } from './total-of.js';

/**
 * Compares two sweeps of a matrix by each value of each parameter. The values overlap: each run counts once for every
 * parameter. So that many tests raise no false alarm, all of them are corrected together.
 */
export function compareParameters(
  base: Pick<SweepResults, 'combinations'>,
  head: Pick<SweepResults, 'combinations'>,
  pairs: readonly Pair[],
  options: ComparisonOptions,
): ComparedParameter[] {
  const groups = groupByParameter(
    commonTo(base.combinations, head.combinations),
    pairs,
    (pair) => pair.head.configuration,
  );
  const testsOf = (of: (pair: Pair) => Stratum, atLeast: readonly number[] = []) =>
    correctedForAll(
      groups.map(({ items }, at) => testOf(items.map(of), { ...options, atLeast: atLeast[at] ?? 0 })),
      options,
    );
  const tests = testsOf(stratumOf);
  const highest = groups.map(({ items }) => highestSureP(items.map(endsOf)));
  const best = testsOf((pair) => endsOf(pair).best, highest);
  const worst = testsOf((pair) => endsOf(pair).worst, highest);
  return groups.flatMap(({ parameter, value, items }, at) => {
    const test = tests[at];
    if (test === undefined) return [];
    return {
      parameter,
      value,
      configurations: items.length,
      ...sumOf(items, options),
      ...test,
      ...boundedMargins(test, best[at], worst[at]),
      robust: isRobust(test.verdict, best[at], worst[at]),
      ...judgedAndDone(items.filter(isPairTested)),
    };
  });
}

type Test = ReturnType<typeof testOf>;

/** Corrects p of all tests together, and with it the smallest p that each could have had, given the others. */
function correctedForAll(
  tests: readonly Test[],
  { alpha }: ComparisonOptions,
): (Test & { adjusted_p: number | null })[] {
  const ps = tests.flatMap(({ p }) => p ?? []);
  const adjusted = holm(ps);
  let next = 0;
  return tests.map((test) => {
    const { difference, interval, p, smallest_p } = test;
    if (difference === null || interval === null || p === null || smallest_p === null)
      return { ...test, adjusted_p: null };
    const at = next++;
    const adjusted_p = adjusted[at] ?? p;
    const smallest = holm(ps.with(at, smallest_p))[at] ?? smallest_p;
    return {
      ...test,
      smallest_p: smallest,
      adjusted_p,
      ...decide({ difference, p: adjusted_p, smallest, interval, alpha }),
    };
  });
}

const MAX_TRAJECTORIES = 3;

/** The agent's capabilities according to gates, and its most common trajectories. */
function sideOf(lines: readonly ResultLine[]) {
  const checked = lines.flatMap(({ metrics }) => capabilitiesIn(metrics?.details ?? []));
  return {
    rates: new Map(capabilityRates(checked).map((one) => [one.capability, one])),
    trajectories: commonTrajectories(
      lines.map(({ metrics, duration_secs }) => ({
        actions: metrics?.agent_work?.actions ?? null,
        duration_secs,
      })),
      MAX_TRAJECTORIES,
    ),
  };
}

function judgedAndDone(pairs: readonly Pair[]): Pick<ComparedParameter, 'capabilities' | 'common_trajectories'> {
  const base = sideOf(pairs.flatMap((pair) => pair.base.samples));
  const head = sideOf(pairs.flatMap((pair) => pair.head.samples));
  const countIn = ({ rates }: ReturnType<typeof sideOf>, capability: string) => {
    const { achieved = 0, checked = 0 } = rates.get(capability) ?? {};
    return { achieved, checked };
  };
  return {
    capabilities: [...new Set([...base.rates.keys(), ...head.rates.keys()])].map((capability) => ({
      capability,
      base: countIn(base, capability),
      head: countIn(head, capability),
    })),
    common_trajectories: { base: base.trajectories, head: head.trajectories },
  };
}

/** Returns the combinations that have the same values in both sweeps. */
function commonTo(base: readonly Combined[], head: readonly Combined[]): Combined[] {
  const keyOf = ({ name, variant, parameters }: Combined): string => canonicalJson([name, variant, parameters]);
  const known = new Set(base.map(keyOf));
  return head.filter((combination) => known.has(keyOf(combination)));
}
