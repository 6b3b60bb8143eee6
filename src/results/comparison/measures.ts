import { mean } from '../../lib/mean.js';
import { median } from '../../lib/median.js';
import { differenceOfMeans, ratioOfMeans } from '../../statistics/ratio-of-means.js';
import { MEASURES, type Effect, type Measure } from './measure.js';
import type { Pair, Sample } from './samples.js';

interface Kind {
  of: 'mean' | 'median';
  /** Costs, durations and counts change by a factor, scores by an amount. */
  effect: Effect['kind'];
  from: (line: Sample) => number | null | undefined;
}

type Name = Exclude<Measure['name'], 'cost_per_pass_usd'>;

const KINDS: Record<Name, Kind> = {
  // In the long run, the total cost is the number of runs times the mean.
  cost_usd: { of: 'mean', effect: 'ratio', from: (line) => line.cost_usd },
  duration_secs: { of: 'median', effect: 'ratio', from: (line) => line.duration_secs },
  tokens: { of: 'median', effect: 'ratio', from: (line) => line.metrics?.agent_work?.tokens },
  tool_calls: { of: 'median', effect: 'ratio', from: (line) => line.metrics?.agent_work?.tool_calls },
  commands: { of: 'median', effect: 'ratio', from: (line) => line.metrics?.efficiency?.total_commands },
  first_try_success_rate: {
    of: 'mean',
    effect: 'difference',
    from: (line) => line.metrics?.efficiency?.first_try_success_rate,
  },
  judge_score: { of: 'mean', effect: 'difference', from: (line) => line.judge_score },
  human_score: { of: 'mean', effect: 'difference', from: (line) => line.human_score },
  composite_score: { of: 'mean', effect: 'difference', from: (line) => line.metrics?.composite_score },
};

/**
 * Returns what was measured in the runs of these configurations besides passing. All tested runs count: whether a run
 * passes may depend on what it takes. Numbers that neither side has are left out.
 */
export function measuresOf(
  pairs: readonly Pick<Pair, 'base' | 'head'>[],
  { alpha }: { alpha: number },
): Measure[] {
  const samples = (side: keyof Pair): Sample[] => pairs.flatMap((pair) => pair[side].samples);
  const [base, head] = [samples('base'), samples('head')];
  return MEASURES.flatMap((name): Measure[] => {
    const measure =
      name === 'cost_per_pass_usd'
        ? { name, of: 'per pass' as const, base: costPerPass(base), head: costPerPass(head), effect: null }
        : measureOf(name);
    return measure.base.runs + measure.head.runs === 0 ? [] : [measure];
  });

  function measureOf(name: Name): Measure {
    const { of, effect, from } = KINDS[name];
    const known = (lines: readonly Sample[]): number[] => lines.flatMap((line) => from(line) ?? []);
    const value = (lines: readonly Sample[]): Measure['base'] => {
      const values = known(lines);
      return { value: of === 'mean' ? mean(values) : median(values), runs: values.length };
    };
    const groups = pairs.map((pair) => ({ base: known(pair.base.samples), head: known(pair.head.samples) }));
    return { name, of, base: value(base), head: value(head), effect: effectOf(effect, groups, alpha) };
  }
}

function effectOf(
  kind: Effect['kind'],
  groups: readonly { base: number[]; head: number[] }[],
  alpha: number,
): Effect | null {
  if (kind === 'ratio') {
    const found = ratioOfMeans(groups, { alpha });
    return found && { kind, value: found.ratio, interval: found.interval, p: found.p };
  }
  const found = differenceOfMeans(groups, { alpha });
  return found && { kind, value: found.estimate, interval: found.interval, p: found.p };
}

/** What a success costs, failures included; unknown if the cost of any run is. */
function costPerPass(lines: readonly Sample[]): Measure['base'] {
  const passed = lines.filter(({ outcome }) => outcome === 'pass').length;
  const costs = lines.flatMap(({ cost_usd }) => cost_usd ?? []);
  const isKnown = passed > 0 && costs.length === lines.length;
  return {
    value: isKnown ? costs.reduce((sum, cost) => sum + cost, 0) / passed : null,
    runs: costs.length,
  };
}
