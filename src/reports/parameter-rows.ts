import { formatCost } from '../lib/format/dollars.js';
import { formatDuration } from '../lib/format/duration.js';
import { beginningOf } from '../lib/format/truncate.js';
import type { ParameterResults } from '../results/by-parameter.js';

export const PARAMETER_COLUMNS = ['parameter', 'value', 'passed', 'rate', 'mean', 'median', 'mean cost'];

const LONGEST_VALUE = 60;

/** One row for each value of each parameter, in the order of PARAMETER_COLUMNS. */
export const parameterRows = (parameters: readonly ParameterResults[]): string[][] =>
  parameters.map((one) => [
    one.parameter,
    beginningOf(JSON.stringify(one.value), LONGEST_VALUE),
    `${one.passed}/${one.tested}`,
    one.success_rate === null ? 'n/a' : `${Math.round(100 * one.success_rate)}%`,
    secondsText(one.mean_duration_secs),
    secondsText(one.median_duration_secs),
    formatCost(one.mean_cost_usd),
  ]);

const secondsText = (seconds: number | null): string =>
  seconds === null ? 'n/a' : formatDuration(1000 * seconds);
