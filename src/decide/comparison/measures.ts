import { mean } from '#lib';
import { rewardOf } from '#model';
import { meanChange, sum } from '#statistics';
import { MEASURES, type Effect, type Measure } from './measure.js';
import type { Pair, Sample } from './arms.js';

interface Kind {
  /** Costs, durations and counts change by a factor, scores by an amount. */
  effect: Effect['kind'];
  from: (line: Sample) => number | null | undefined;
}

type Name = Exclude<Measure['name'], 'cost_per_pass_usd'>;

const KINDS: Record<Name, Kind> = {
  cost_usd: { effect: 'ratio', from: (line) => line.cost_usd },
  duration_secs: { effect: 'ratio', from: (line) => line.duration_secs },
  tokens: { effect: 'ratio', from: (line) => line.metrics?.agent_work?.tokens },
  tool_calls: { effect: 'ratio', from: (line) => line.metrics?.agent_work?.tool_calls },
  commands: { effect: 'ratio', from: (line) => line.metrics?.efficiency?.total_commands },
  first_try_success_rate: {
    effect: 'difference',
    from: (line) => line.metrics?.efficiency?.first_try_success_rate,
  },
  judge_score: { effect: 'difference', from: (line) => line.judge_score },
  human_score: { effect: 'difference', from: (line) => line.human_score },
  reward: { effect: 'difference', from: (line) => rewardOf(line.metrics) },
  composite_score: { effect: 'difference', from: (line) => line.metrics?.composite_score },
};

/**
 * Returns what was measured in the runs of these configurations besides passing. All tested runs count: whether a run
 * passes may depend on what it takes. Numbers that neither side has are left out.
 */
export function measuresOf(pairs: readonly Pick<Pair, 'base' | 'head'>[], { alpha }: { alpha: number }): Measure[] {
  return MEASURES.flatMap((name): Measure[] => {
    const measure = name === 'cost_per_pass_usd' ? costPerPass(pairs) : measureOf(name);
    return measure.base.runs + measure.head.runs === 0 ? [] : [measure];
  });

  function measureOf(name: Name): Measure {
    const { effect: kind, from } = KINDS[name];
    const groups = pairs.map((pair) => ({ base: known(pair.base, from), head: known(pair.head, from) }));
    const shared = groups.filter(({ base, head }) => base.length > 0 && head.length > 0);
    // Means of different configurations are no change.
    const shown = shared.length > 0 ? shared : groups;
    const side = (which: keyof Pair): Measure['base'] => ({
      value: mean(shown.map((group) => mean(group[which]))),
      runs: sum(shown, (group) => group[which].length),
    });
    const change = meanChange(shared, { kind, alpha });
    return {
      name,
      of: 'mean',
      base: side('base'),
      head: side('head'),
      effect: change && { kind, value: change.value, interval: change.interval, p: change.p },
    };
  }
}

const known = ({ samples }: Pair['base'], from: Kind['from']): number[] => samples.flatMap((line) => from(line) ?? []);

/**
 * The cost of a success, failures included: the mean cost divided by the pass rate. Unknown if the cost of any run is.
 */
function costPerPass(pairs: readonly Pick<Pair, 'base' | 'head'>[]): Measure {
  const side = (which: keyof Pair): Measure['base'] => {
    const arms = pairs.map((pair) => pair[which]).filter(({ samples }) => samples.length > 0);
    const costs = arms.map((arm) => known(arm, ({ cost_usd }) => cost_usd));
    const rate = mean(arms.map(({ side: { rate: of } }) => of)) ?? 0;
    const isKnown = rate > 0 && costs.every(({ length }, at) => length === arms[at]?.samples.length);
    const cost = mean(costs.map(mean));
    return { value: isKnown && cost !== null ? cost / rate : null, runs: sum(costs, ({ length }) => length) };
  };
  return { name: 'cost_per_pass_usd', of: 'per pass', base: side('base'), head: side('head'), effect: null };
}
