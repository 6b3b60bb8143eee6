import { z } from 'zod';
import { canonicalJson, groupBy, type Json, mean, median } from '#lib';
import { capabilitiesIn, CapabilityRate, capabilityRates, type Cell, type Metrics, type Outcome, Usd } from '#model';
import { isTested } from './is-tested.js';

/** A sequence of actions by which several runs went. */
export const CommonTrajectory = z.object({
  sequence: z.array(z.string()).describe('Names of the called tools, in order; empty: none was called'),
  count: z.int().describe('Runs with exactly this sequence'),
  percentage: z.number().describe('count / runs whose sequence is known, from 0 to 1'),
  average_duration_secs: z.number().nullable().describe('Mean duration of these runs'),
});
export type CommonTrajectory = z.infer<typeof CommonTrajectory>;

interface Walked {
  /** Null: unknown. */
  actions: readonly string[] | null;
  duration_secs: number | null;
}

/** Returns the most frequent sequences, the most frequent first. Runs whose sequence is unknown do not count. */
export function commonTrajectories(runs: readonly Walked[], most: number): CommonTrajectory[] {
  const known = runs.flatMap(({ actions, duration_secs }) => (actions === null ? [] : { actions, duration_secs }));
  const keyOf = ({ actions }: (typeof known)[number]): string => JSON.stringify(actions);
  return groupBy(known, keyOf)
    .map((alike) => ({ alike, key: alike.slice(0, 1).map(keyOf).join() }))
    .sort((a, b) => b.alike.length - a.alike.length || (a.key < b.key ? -1 : 1))
    .slice(0, most)
    .map(({ alike }) => ({
      sequence: [...(alike[0]?.actions ?? [])],
      count: alike.length,
      percentage: alike.length / known.length,
      average_duration_secs: mean(alike.map(({ duration_secs }) => duration_secs)),
    }));
}

/** More sequences than that are hardly common. */
const MAX_TRAJECTORIES = 5;

const average = (what: string) => z.number().nullable().describe(`${what} of the tested cells; null: unknown`);

/** The results of all cells that have the same value of a parameter, whatever their other parameters are. */
export const ParameterResults = z.object({
  parameter: z.string().describe('Field of the scenario file that varies'),
  value: z.json().describe('One of its values'),
  cells: z.int().describe('Cells with this value'),
  tested: z.int().describe('Cells with the outcome pass or fail'),
  passed: z.int().describe('Cells with the outcome pass'),
  success_rate: z.number().nullable().describe('passed / tested; null: none was tested'),
  mean_duration_secs: z.number().nullable().describe('Mean duration of the tested cells'),
  median_duration_secs: z.number().nullable().describe('Median duration of the tested cells'),
  mean_cost_usd: Usd.nullable().describe('Mean of the known costs of the tested cells'),
  median_cost_usd: average('Median of the known costs'),
  mean_tokens: average('Mean of the known numbers of tokens'),
  median_tokens: average('Median of the known numbers of tokens'),
  mean_tool_calls: average('Mean of the known numbers of tool calls'),
  median_tool_calls: average('Median of the known numbers of tool calls'),
  capabilities: z.array(CapabilityRate).exactOptional().describe('Capabilities that gates of the tested cells checked'),
  common_trajectories: z
    .array(CommonTrajectory)
    .exactOptional()
    .describe(`The ${MAX_TRAJECTORIES} most frequent sequences of tools in the tested cells`),
});
export type ParameterResults = z.infer<typeof ParameterResults>;

/** The names of the parts of a subject, and the variant of the scenario that is the same without it. */
interface PlannedSubject {
  parts: string[];
  without: string;
}

/** A variant of a scenario; `parameters` if it is a combination of a matrix. */
export interface Combined {
  name: string;
  variant: string;
  parameters?: Record<string, Json>;
  /** Its subject, if another variant differs only in its lack. */
  subject?: PlannedSubject;
}

/** A cell of a sweep, and what its result says; null: unknown. */
export interface ParameterCell extends Pick<Cell, 'scenario' | 'variant'> {
  outcome: Outcome | null;
  unchecked?: true;
  duration_secs: number | null;
  cost_usd: number | null;
  metrics: Pick<Metrics, 'agent_work' | 'details'> | null;
}

/** Groups items of a sweep by each value of each parameter, in the order of the matrix. Empty without parameters. */
export function groupByParameter<T>(
  scenarios: readonly Combined[],
  items: readonly T[],
  cellOf: (item: T) => Pick<Cell, 'scenario' | 'variant'>,
): { parameter: string; value: Json; items: T[] }[] {
  const parametersOf = new Map(
    scenarios.map(({ name, variant, parameters = {} }) => [JSON.stringify([name, variant]), parameters]),
  );
  const names = new Set(scenarios.flatMap(({ parameters = {} }) => Object.keys(parameters)));
  return [...names].flatMap((parameter) => {
    const having = items.flatMap((item) => {
      const { scenario, variant } = cellOf(item);
      const value = parametersOf.get(JSON.stringify([scenario, variant]))?.[parameter];
      return value === undefined ? [] : { item, value };
    });
    return groupBy(having, ({ value }) => canonicalJson(value)).flatMap((group) =>
      group.slice(0, 1).map(({ value }) => ({ parameter, value, items: group.map(({ item }) => item) })),
    );
  });
}

/** Summarizes the cells of a sweep by each value of each parameter. Empty without parameters. */
export const byParameter = (scenarios: readonly Combined[], cells: readonly ParameterCell[]): ParameterResults[] =>
  groupByParameter(scenarios, cells, (cell) => cell).map(({ parameter, value, items }) => {
    const tested = items.filter(isTested);
    const passed = tested.filter(({ outcome }) => outcome === 'pass').length;
    const known = (of: (cell: ParameterCell) => number | null | undefined) => tested.flatMap((cell) => of(cell) ?? []);
    const [durations, costs] = [known((cell) => cell.duration_secs), known((cell) => cell.cost_usd)];
    const tokens = known(({ metrics }) => metrics?.agent_work?.tokens);
    const calls = known(({ metrics }) => metrics?.agent_work?.tool_calls);
    return {
      parameter,
      value,
      cells: items.length,
      tested: tested.length,
      passed,
      success_rate: tested.length === 0 ? null : passed / tested.length,
      mean_duration_secs: mean(durations),
      median_duration_secs: median(durations),
      mean_cost_usd: mean(costs),
      median_cost_usd: median(costs),
      mean_tokens: mean(tokens),
      median_tokens: median(tokens),
      mean_tool_calls: mean(calls),
      median_tool_calls: median(calls),
      capabilities: capabilityRates(tested.flatMap(({ metrics }) => capabilitiesIn(metrics?.details ?? []))),
      common_trajectories: commonTrajectories(
        tested.map(({ metrics, duration_secs }) => ({
          actions: metrics?.agent_work?.actions ?? null,
          duration_secs,
        })),
        MAX_TRAJECTORIES,
      ),
    };
  });
