import { isTested, rateInterval } from '#decide/pure';
import { groupBy } from '#lib/pure';
import type { ConfigurationFigures, ListedRun, Spread } from '../protocol.js';

/** Returns the figures of some runs, by variant, agent and model. */
export const figuresOf = (runs: readonly ListedRun[]): ConfigurationFigures[] =>
  groupBy(runs, ({ variant, agent, model }) => JSON.stringify([variant, agent, model])).map((group) => {
    const [{ variant, agent, model }] = group as [ListedRun];
    const checked = group.filter((run) => run.look === run.outcome && isTested(run));
    const count = { passed: checked.filter(({ outcome }) => outcome === 'pass').length, tested: checked.length };
    return {
      ...{ variant, agent, model, ...count },
      interval: rateInterval(count),
      // A result that was reused has cost nothing again.
      cost: spreadOf(group.flatMap(({ cached, cost_usd: usd, look }) => (cached || look === 'running' ? [] : [usd]))),
      duration: spreadOf(group.map(({ look, duration_secs: secs }) => (look === 'running' ? null : secs))),
    };
  });

/** Returns the spread of the known ones among some numbers; null if none is known. */
export function spreadOf(numbers: readonly (number | null)[]): Spread | null {
  const sorted = numbers.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  /** Between two numbers, in proportion. */
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const [low = 0, high = low] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
    return low + (high - low) * (place - Math.floor(place));
  };
  return {
    count: sorted.length,
    least: at(0),
    quarter: at(0.25),
    median: at(0.5),
    threeQuarters: at(0.75),
    most: at(1),
  };
}
