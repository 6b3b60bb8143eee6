import { canonicalJson } from '../../lib/canonical-json.js';
import { groupByParameter, type Combined } from '../by-parameter.js';
import { capabilitiesIn, capabilityRates } from '../capabilities.js';
import { commonTrajectories } from '../common-trajectories.js';
import type { ResultLine } from '../records/result-line.js';
import type { ComparedParameter } from './document.js';
import { holm } from '../../statistics/holm.js';
import type { Pair, SweepResults } from './samples.js';
import { isTested, totalOf } from './total-of.js';
import { verdictOf } from './verdict-of.js';

/**
 * Compares two sweeps of a matrix by each value of each parameter. The values overlap: each run counts once for every
 * parameter. So that many tests raise no false alarm, all of them are corrected together.
 */
export function compareParameters(
  base: Pick<SweepResults, 'combinations'>,
  head: Pick<SweepResults, 'combinations'>,
  pairs: readonly Pair[],
): ComparedParameter[] {
  const groups = groupByParameter(
    commonTo(base.combinations, head.combinations),
    pairs,
    (pair) => pair.head.configuration,
  ).map((group) => ({ ...group, total: totalOf(group.items) }));
  const adjusted = holm(groups.flatMap(({ total }) => total.p ?? []));
  let next = 0;
  return groups.map(({ parameter, value, items, total }) => {
    const adjusted_p = total.p === null ? null : (adjusted[next++] ?? null);
    return {
      ...{ parameter, value, configurations: items.length, ...total, adjusted_p },
      verdict: verdictOf({ ...total, p: adjusted_p }),
      ...judgedAndDone(items.filter(isTested)),
    };
  });
}

const MOST_TRAJECTORIES = 3;

/** What gates said of the agent's capabilities, and the ways that it went most often. */
function sideOf(lines: readonly ResultLine[]) {
  const checked = lines.flatMap(({ metrics }) => capabilitiesIn(metrics?.details ?? []));
  return {
    rates: new Map(capabilityRates(checked).map((one) => [one.capability, one])),
    trajectories: commonTrajectories(
      lines.map(({ metrics, duration_secs }) => ({
        ...{ actions: metrics?.agent_work?.actions ?? null, duration_secs },
      })),
      MOST_TRAJECTORIES,
    ),
  };
}

function judgedAndDone(
  pairs: readonly Pair[],
): Pick<ComparedParameter, 'capabilities' | 'common_trajectories'> {
  const base = sideOf(pairs.flatMap((pair) => pair.base.samples));
  const head = sideOf(pairs.flatMap((pair) => pair.head.samples));
  const countIn = ({ rates }: ReturnType<typeof sideOf>, capability: string) => {
    const { achieved = 0, checked = 0 } = rates.get(capability) ?? {};
    return { achieved, checked };
  };
  return {
    capabilities: [...new Set([...base.rates.keys(), ...head.rates.keys()])].map((capability) => ({
      ...{ capability, base: countIn(base, capability), head: countIn(head, capability) },
    })),
    common_trajectories: { base: base.trajectories, head: head.trajectories },
  };
}

/** Returns the combinations that have the same values in both sweeps. */
function commonTo(base: readonly Combined[], head: readonly Combined[]): Combined[] {
  const keyOf = ({ name, variant, parameters }: Combined): string =>
    canonicalJson([name, variant, parameters]);
  const known = new Set(base.map(keyOf));
  return head.filter((combination) => known.has(keyOf(combination)));
}
