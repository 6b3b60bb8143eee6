import { median } from '../../lib/median.js';
import { mean } from '../../lib/mean.js';
import { MEASURES, type Measure } from './document.js';
import type { Sample } from './samples.js';

interface Kind {
  of: Measure['of'];
  /** A run that gives up early is quick and cheap, so only runs that passed show what the task takes. */
  passedOnly: boolean;
  from: (line: Sample) => number | null | undefined;
}

const KINDS: Record<Measure['name'], Kind> = {
  // In the long run, the total cost is the number of runs times the mean.
  cost_usd: { of: 'mean', passedOnly: true, from: (line) => line.cost_usd },
  duration_secs: { of: 'median', passedOnly: true, from: (line) => line.duration_secs },
  tokens: { of: 'median', passedOnly: true, from: (line) => line.metrics?.agent_work?.tokens },
  tool_calls: { of: 'median', passedOnly: true, from: (line) => line.metrics?.agent_work?.tool_calls },
  commands: { of: 'median', passedOnly: true, from: (line) => line.metrics?.efficiency?.total_commands },
  first_try_success_rate: {
    of: 'median',
    passedOnly: true,
    from: (line) => line.metrics?.efficiency?.first_try_success_rate,
  },
  judge_score: { of: 'median', passedOnly: false, from: (line) => line.judge_score },
  // Points are few and coarse, and few runs are reviewed: a median would hide most differences.
  human_score: { of: 'mean', passedOnly: false, from: (line) => line.human_score },
  composite_score: { of: 'median', passedOnly: false, from: (line) => line.metrics?.composite_score },
};

/** Returns what was measured in these runs besides passing. Numbers that neither side has are left out. */
export function measuresOf(base: readonly Sample[], head: readonly Sample[]): Measure[] {
  return MEASURES.flatMap((name) => {
    const { of, passedOnly, from } = KINDS[name];
    const value = (lines: readonly Sample[]) => {
      const known = lines.flatMap((line) =>
        passedOnly && line.outcome !== 'pass' ? [] : (from(line) ?? []),
      );
      return { value: of === 'mean' ? mean(known) : median(known), runs: known.length };
    };
    const measure = { name, of, base: value(base), head: value(head) };
    return measure.base.runs + measure.head.runs === 0 ? [] : [measure];
  });
}
