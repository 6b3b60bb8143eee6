import { sum } from './counts.js';
import { total, type Round } from './look.js';

/** The smallest standard deviation assumed: with few runs, a configuration that always passed may still fail. */
const FLOOR = 0.35;

/**
 * Returns how many pairs of runs each configuration gets in the next round, so that the difference becomes clear for
 * least money: in total, in proportion to the standard deviation of an outcome divided by the root of its cost (J.
 * Neyman, JRSS 97 (1934) 558-625). It looks only at how many runs of both sides passed together, which keeps the
 * sequential test exact.
 */
export function nextRound(
  rounds: readonly Round[],
  {
    size,
    costs,
    remaining,
  }: {
    /** Pairs of all configurations together. */
    size: number;
    /** Mean cost of a run of each configuration; 0 or unknown: all count the same. */
    costs: readonly number[];
    /** Pairs left of each configuration. */
    remaining: readonly number[];
  },
): number[] {
  const sofar = total(rounds);
  const done = remaining.map((_, at) => pairsOf(sofar[at]));
  const areKnown = costs.every((cost) => cost > 0);
  const weights = remaining.map((_, at) => deviation(sofar[at]) / Math.sqrt(areKnown ? (costs[at] ?? 1) : 1));
  const next = remaining.map(() => 0);
  // One pair at a time, to the configuration that is furthest behind its share.
  for (
    let pair = 0;
    pair <
    Math.min(
      size,
      sum(remaining, (left) => left),
    );
    pair++
  ) {
    const behind = remaining.map((left, at) => {
      const given = next[at] ?? 0;
      return given < left ? (weights[at] ?? 0) / ((done[at] ?? 0) + given + 0.5) : -Infinity;
    });
    const at = behind.indexOf(Math.max(...behind));
    next[at] = (next[at] ?? 0) + 1;
  }
  return next;
}

type Total = ReturnType<typeof total>[number];

const pairsOf = (stratum: Total | undefined): number =>
  stratum === undefined ? 0 : Math.min(stratum.base.tested, stratum.head.tested);

function deviation(stratum: Total | undefined): number {
  if (stratum === undefined) return 0.5;
  const tested = stratum.base.tested + stratum.head.tested;
  const share = (stratum.base.passed + stratum.head.passed + 0.5) / (tested + 1);
  return Math.max(FLOOR, Math.sqrt(share * (1 - share)));
}
