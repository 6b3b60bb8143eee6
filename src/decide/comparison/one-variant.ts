import type { Json } from '#lib';
import { DEFAULT_VARIANT, scenarioLabel } from '#model';
import type { SweepToCompare } from './compare-sweeps.js';

/** Reduces a sweep to one variant, under the default name, so that it can be compared with another variant. */
export function oneVariant(sweep: SweepToCompare, variant: string): SweepToCompare {
  const cells = sweep.cells.filter((cell) => cell.variant === variant);
  const ids = new Set(cells.map(({ id }) => id));
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))].flatMap(
    (scenario): [string, Json][] => {
      const found = sweep.scenarios.get(scenarioLabel({ scenario, variant }));
      return found === undefined ? [] : [[scenario, found]];
    },
  );
  return {
    ...sweep,
    variant,
    combinations: [],
    cells: cells.map((cell) => ({ ...cell, variant: DEFAULT_VARIANT })),
    lines: sweep.lines.filter(({ cell }) => ids.has(cell)),
    scenarios: new Map(scenarios),
  };
}
