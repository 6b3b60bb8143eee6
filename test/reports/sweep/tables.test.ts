import { describe, expect, test } from 'vitest';
import type { ParameterResults } from '../../../src/decide/by-parameter.js';
import { parameterTables } from '../../../src/reports/sweep/tables.js';

const value = (change: Partial<ParameterResults> = {}): ParameterResults => ({
  parameter: 'run[0].input',
  value: 'hi',
  cells: 2,
  tested: 2,
  passed: 1,
  success_rate: 0.5,
  mean_duration_secs: 3,
  median_duration_secs: 2,
  mean_cost_usd: null,
  median_cost_usd: null,
  mean_tokens: 1234.5,
  median_tokens: 1000,
  mean_tool_calls: 2,
  median_tool_calls: 2,
  capabilities: [{ capability: 'polite', achieved: 1, checked: 2, rate: 0.5 }],
  common_trajectories: [
    { sequence: ['read', 'read', 'write'], count: 1, percentage: 0.5, average_duration_secs: 3 },
    { sequence: [], count: 1, percentage: 0.5, average_duration_secs: null },
  ],
  ...change,
});

describe('tables of results by parameter', () => {
  test('show means and medians, capabilities, and trajectories with counted repetitions', () => {
    expect(parameterTables([value()], Infinity)).toEqual([
      {
        title: 'By parameter (mean / median)',
        columns: ['parameter', 'value', 'passed', 'rate', 'duration', 'tokens', 'tool calls'],
        rows: [['run[0].input', '"hi"', '1/2', '50%', '3.0 s / 2.0 s', '1,234.5 / 1,000', '2 / 2']],
        right: [2, 3, 4, 5, 6],
      },
      {
        title: 'Capabilities by parameter',
        columns: ['parameter', 'value', 'capability', 'achieved', 'rate'],
        rows: [['run[0].input', '"hi"', 'polite', '1/2', '50%']],
        right: [3, 4],
      },
      {
        title: 'Common trajectories by parameter',
        columns: ['parameter', 'value', 'actions', 'runs', 'share', 'duration'],
        rows: [
          ['run[0].input', '"hi"', 'read ×2, write', '1', '50%', '3.0 s'],
          ['run[0].input', '"hi"', 'none', '1', '50%', 'n/a'],
        ],
        right: [3, 4, 5],
      },
    ]);
  });
  test('leave out what is unknown everywhere, and mark what is unknown of one value', () => {
    const known = { capabilities: [], common_trajectories: [], mean_tokens: null, median_tokens: null };
    const old = value(known);
    const unknown = { mean_duration_secs: null, median_duration_secs: null, success_rate: null };
    const [numbers, ...others] = parameterTables([old, { ...old, ...unknown }], 1);
    expect(others).toEqual([]);
    expect(numbers?.columns).not.toContain('tokens');
    expect(numbers?.rows[1]).toEqual(['run[0].input', '"hi"', '1/2', 'n/a', 'n/a / n/a', '2 / 2']);
    expect(parameterTables([], 1)).toEqual([]);
  });
  test('show only the most common trajectories if asked', () => {
    expect(parameterTables([value()], 1).at(-1)?.rows).toHaveLength(1);
  });
});
