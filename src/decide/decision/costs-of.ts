import { mean } from '#lib';
import { cellsOfPair, type PairedConfiguration } from './paired-cells.js';

/** Mean cost of the runs of each configuration so far; 0 if none is known. `done`: how many pairs of each have ended. */
export const costsOf = (
  configurations: readonly PairedConfiguration[],
  done: readonly number[],
  results: ReadonlyMap<string, { cost_usd: number | null }>,
): number[] =>
  configurations.map(({ pairs }, at) => {
    const cells = pairs.slice(0, done[at] ?? 0).flatMap(cellsOfPair);
    return mean(cells.map(({ id }) => results.get(id)?.cost_usd ?? null)) ?? 0;
  });
