import type { Comparison } from './document.js';
import type { Stratum } from '../../statistics/counts.js';
import { measuresOf } from './measures.js';
import { sumOfSides, type Pair } from './samples.js';
import { testOf } from './verdict-of.js';

export const stratumOf = ({ base, head }: Pair): Stratum => ({ base: base.side, head: head.side });
export const isTested = ({ base, head }: Pair): boolean => base.side.tested > 0 && head.side.tested > 0;

/** Compares several configurations together, as far as they have tested runs on both sides. */
export function totalOf(pairs: readonly Pair[]): Comparison['total'] {
  const tested = pairs.filter(isTested);
  const sideOf = (name: keyof Pair) =>
    sumOfSides(
      tested.map((pair) => pair[name].side),
      pairs.map((pair) => pair[name].side),
    );
  const samplesOf = (name: keyof Pair) => tested.flatMap((pair) => pair[name].samples);
  return {
    base: sideOf('base'),
    head: sideOf('head'),
    ...testOf(tested.map(stratumOf)),
    measures: measuresOf(samplesOf('base'), samplesOf('head')),
  };
}
