import { z } from 'zod';
import { mean } from '../lib/mean.js';
import { median } from '../lib/median.js';
import type { Json } from '../lib/json.js';
import type { Cell } from './records/cell.js';
import type { Outcome } from './records/result-line.js';

/** The results of all cells that have the same value of a parameter, whatever their other parameters are. */
export const ParameterResults = z.object({
  parameter: z.string().describe('Field of the scenario file that varies'),
  value: z.json().describe('One of its values'),
  cells: z.number().int().describe('Cells with this value'),
  tested: z.number().int().describe('Cells with the outcome pass or fail'),
  passed: z.number().int().describe('Cells with the outcome pass'),
  success_rate: z.number().nullable().describe('passed / tested; null: none was tested'),
  mean_duration_secs: z.number().nullable().describe('Mean duration of the tested cells'),
  median_duration_secs: z.number().nullable().describe('Median duration of the tested cells'),
  mean_cost_usd: z.number().nullable().describe('Mean of the known costs of the tested cells'),
});
export type ParameterResults = z.infer<typeof ParameterResults>;

/** A variant of a scenario; `parameters` if it is a combination of a matrix. */
export interface Combined {
  name: string;
  variant: string;
  parameters?: Record<string, Json>;
}

interface CellResult extends Pick<Cell, 'scenario' | 'variant'> {
  outcome: Outcome | null;
  duration_secs: number | null;
  cost_usd: number | null;
}

/** Groups the cells of a sweep by each value of each parameter, in the order of the matrix. Empty without parameters. */
export function byParameter(
  scenarios: readonly Combined[],
  cells: readonly CellResult[],
): ParameterResults[] {
  const groups = new Map<string, { parameter: string; value: Json; cells: CellResult[] }>();
  const parametersOf = new Map(
    scenarios.map(({ name, variant, parameters = {} }) => [JSON.stringify([name, variant]), parameters]),
  );
  const names = new Set(scenarios.flatMap(({ parameters = {} }) => Object.keys(parameters)));
  for (const parameter of names)
    for (const cell of cells) {
      const value = parametersOf.get(JSON.stringify([cell.scenario, cell.variant]))?.[parameter];
      if (value === undefined) continue;
      const key = JSON.stringify([parameter, value]);
      const group = groups.get(key) ?? { parameter, value, cells: [] };
      groups.set(key, group);
      group.cells.push(cell);
    }
  return [...groups.values()].map(({ parameter, value, cells: alike }) => {
    const tested = alike.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail');
    const passed = tested.filter(({ outcome }) => outcome === 'pass').length;
    const durations = tested.flatMap(({ duration_secs: secs }) => secs ?? []);
    return {
      ...{ parameter, value, cells: alike.length, tested: tested.length, passed },
      success_rate: tested.length === 0 ? null : passed / tested.length,
      mean_duration_secs: mean(durations),
      median_duration_secs: median(durations),
      mean_cost_usd: mean(tested.map(({ cost_usd: usd }) => usd)),
    };
  });
}
