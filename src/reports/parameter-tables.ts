import type { ParameterResults } from '#decide';
import { beginningOf, formatCost, formatDuration } from '#lib';

/** A table of the results by parameter. Texts of scenarios and agents in it are not escaped. */
export interface ParameterTable {
  title: string;
  columns: string[];
  rows: string[][];
  /** Numbers (from 0) of the columns that are aligned right. */
  right: number[];
}

const LONGEST_VALUE = 60;
const LONGEST_SEQUENCE = 120;

/**
 * Returns the tables of the results by parameter: numbers, capabilities, and the most common trajectories of each value.
 * Tables without rows are left out.
 */
export const parameterTables = (
  parameters: readonly ParameterResults[],
  /** The most trajectories of each value. */
  mostTrajectories: number,
): ParameterTable[] =>
  [numbers(parameters), capabilities(parameters), trajectories(parameters, mostTrajectories)].filter(
    ({ rows }) => rows.length > 0,
  );

const nameOf = ({ parameter, value }: Pick<ParameterResults, 'parameter' | 'value'>): string[] => [
  parameter,
  beginningOf(JSON.stringify(value), LONGEST_VALUE),
];

/** A mean and a median, which are only shown if they are known for some value. */
interface Average {
  heading: string;
  of: (one: ParameterResults) => [mean: number | null, median: number | null];
  text: (value: number | null) => string;
}

const AVERAGES: readonly Average[] = [
  {
    heading: 'duration',
    of: (one) => [one.mean_duration_secs, one.median_duration_secs],
    text: (secs) => (secs === null ? 'n/a' : formatDuration(1000 * secs)),
  },
  { heading: 'cost', of: (one) => [one.mean_cost_usd, one.median_cost_usd], text: formatCost },
  { heading: 'tokens', of: (one) => [one.mean_tokens, one.median_tokens], text: count },
  { heading: 'tool calls', of: (one) => [one.mean_tool_calls, one.median_tool_calls], text: count },
];

/** Formats a mean of counts: "1,200.5". */
function count(value: number | null): string {
  return value?.toLocaleString('en', { maximumFractionDigits: 1 }) ?? 'n/a';
}

function numbers(parameters: readonly ParameterResults[]): ParameterTable {
  const averages = AVERAGES.filter(({ of }) => parameters.some((one) => of(one).some((is) => is !== null)));
  const columns = ['parameter', 'value', 'passed', 'rate', ...averages.map(({ heading }) => heading)];
  return {
    title: `By parameter${averages.length === 0 ? '' : ' (mean / median)'}`,
    columns,
    rows: parameters.map((one) => [
      ...nameOf(one),
      `${one.passed}/${one.tested}`,
      one.success_rate === null ? 'n/a' : percent(one.success_rate),
      ...averages.map(({ of, text }) => of(one).map(text).join(' / ')),
    ]),
    right: columns.map((_, at) => at).slice(2),
  };
}

const capabilities = (parameters: readonly ParameterResults[]): ParameterTable => ({
  title: 'Capabilities by parameter',
  columns: ['parameter', 'value', 'capability', 'achieved', 'rate'],
  rows: parameters.flatMap((one) =>
    (one.capabilities ?? []).map(({ capability, achieved, checked, rate }) => [
      ...nameOf(one),
      capability,
      `${achieved}/${checked}`,
      percent(rate),
    ]),
  ),
  right: [3, 4],
});

const trajectories = (parameters: readonly ParameterResults[], most: number): ParameterTable => ({
  title: 'Common trajectories by parameter',
  columns: ['parameter', 'value', 'actions', 'runs', 'share', 'duration'],
  rows: parameters.flatMap((one) =>
    (one.common_trajectories ?? [])
      .slice(0, most)
      .map(({ sequence, count: runs, percentage, average_duration_secs: secs }) => [
        ...nameOf(one),
        sequenceText(sequence),
        String(runs),
        percent(percentage),
        secs === null ? 'n/a' : formatDuration(1000 * secs),
      ]),
  ),
  right: [3, 4, 5],
});

/** Formats actions, with repetitions counted: "read, write ×2". */
function sequenceText(sequence: readonly string[]): string {
  const runs: { action: string; times: number }[] = [];
  for (const action of sequence) {
    const last = runs.at(-1);
    if (last?.action === action) last.times += 1;
    else runs.push({ action, times: 1 });
  }
  const text = runs.map(({ action, times }) => (times === 1 ? action : `${action} ×${times}`)).join(', ');
  return text === '' ? 'none' : beginningOf(text, LONGEST_SEQUENCE);
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;
