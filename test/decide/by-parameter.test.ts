import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byParameter, ParameterResults, type ParameterCell } from '../../src/decide/by-parameter.js';
import type { GateDetail } from '../../src/model/records/result-line.js';

const cell = (
  variant: string,
  outcome: 'pass' | 'fail' | 'error' | 'cancelled' | null,
  secs: number,
  usd: number | null,
) => ({
  scenario: 's',
  variant,
  outcome,
  duration_secs: secs,
  cost_usd: usd,
  metrics: null,
});

/** A cell that passed, whose agent called these tools, and whose gate judged capabilities. */
const worked = (
  variant: string,
  actions: string[] | null,
  tokens: number | null,
  judged: Record<string, boolean>,
  secs = 1,
): ParameterCell => ({
  ...cell(variant, 'pass', secs, 0.1),
  metrics: {
    agent_work: { tokens, tool_calls: actions?.length ?? null, actions },
    details: [gateOf('pass', judged), gateOf('error', { ignored: true })],
  },
});

const gateOf = (status: 'pass' | 'error', judged: Record<string, boolean>): GateDetail => ({
  index: 0,
  gate_type: 'llm_judge',
  name: null,
  subject: '',
  status,
  passed: status === 'pass',
  message: '',
  duration_ms: 1,
  detail: {
    capability_checklist: Object.entries(judged).map(([capability, achieved]) => ({
      capability,
      achieved,
      reasoning: 'because',
    })),
  },
});

const NOTHING_MORE = {
  mean_tokens: null,
  median_tokens: null,
  mean_tool_calls: null,
  median_tool_calls: null,
  capabilities: [],
  common_trajectories: [],
};

describe('results by parameter', () => {
  test('count and average the cells that share a value, whatever their other values are', () => {
    const scenarios = [
      { name: 's', variant: 'a', parameters: { x: 1, y: 'p' } },
      { name: 's', variant: 'b', parameters: { x: 1, y: 'q' } },
      { name: 's', variant: 'c', parameters: { x: [2], y: 'p' } },
    ];
    const cells = [
      cell('a', 'pass', 1, 0.5),
      cell('b', 'fail', 2, null),
      cell('b', 'error', 100, 9),
      cell('c', 'pass', 6, 0.1),
      cell('c', null, 0, null),
    ];
    expect(byParameter(scenarios, cells)).toEqual([
      {
        parameter: 'x',
        value: 1,
        cells: 3,
        tested: 2,
        passed: 1,
        success_rate: 0.5,
        mean_duration_secs: 1.5,
        median_duration_secs: 1.5,
        mean_cost_usd: 0.5,
        median_cost_usd: 0.5,
        ...NOTHING_MORE,
      },
      {
        parameter: 'x',
        value: [2],
        cells: 2,
        tested: 1,
        passed: 1,
        success_rate: 1,
        mean_duration_secs: 6,
        median_duration_secs: 6,
        mean_cost_usd: 0.1,
        median_cost_usd: 0.1,
        ...NOTHING_MORE,
      },
      {
        parameter: 'y',
        value: 'p',
        cells: 3,
        tested: 2,
        passed: 2,
        success_rate: 1,
        mean_duration_secs: 3.5,
        median_duration_secs: 3.5,
        mean_cost_usd: 0.3,
        median_cost_usd: 0.3,
        ...NOTHING_MORE,
      },
      {
        parameter: 'y',
        value: 'q',
        cells: 2,
        tested: 1,
        passed: 0,
        success_rate: 0,
        mean_duration_secs: 2,
        median_duration_secs: 2,
        mean_cost_usd: null,
        median_cost_usd: null,
        ...NOTHING_MORE,
      },
    ]);
  });
  test('of a parameter contain every cell of its variants exactly once', () => {
    const outcome = fc.constantFrom('pass' as const, 'fail' as const, 'error' as const, 'cancelled' as const, null);
    const anyCells = fc.array(fc.tuple(fc.nat(3), outcome, fc.nat(9)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }), anyCells, (values, runs) => {
        const scenarios = values.map((x, index) => ({ name: 's', variant: `v${index}`, parameters: { x } }));
        const found = byParameter(
          scenarios,
          runs.map(([nth, one, secs]) => cell(`v${nth}`, one, secs, null)),
        );
        for (const one of found) expect(ParameterResults.parse(one)).toEqual(one);
        expect(found.reduce((sum, { cells }) => sum + cells, 0)).toBe(runs.length);
        expect(found.reduce((sum, { passed }) => sum + passed, 0)).toBe(
          runs.filter(([, one]) => one === 'pass').length,
        );
      }),
    );
  });
  test('contain tokens, tool calls, capabilities and common trajectories, without what is unknown', () => {
    const scenarios = [
      { name: 's', variant: 'a', parameters: { x: 1 } },
      { name: 's', variant: 'b', parameters: { x: 1 } },
    ];
    const [found] = byParameter(scenarios, [
      worked('a', ['read', 'write'], 100, { polite: true, brief: false }, 2),
      worked('a', ['read', 'write'], null, { polite: false }, 4),
      worked('b', ['read'], 500, { brief: true }),
      worked('b', null, 300, {}),
      { ...worked('b', ['never'], 900, { polite: true }), outcome: 'error' },
    ]);
    expect(found).toMatchObject({
      cells: 5,
      tested: 4,
      mean_tokens: 300,
      median_tokens: 300,
      median_tool_calls: 2,
      mean_tool_calls: 5 / 3,
      capabilities: [
        { capability: 'polite', achieved: 1, checked: 2, rate: 0.5 },
        { capability: 'brief', achieved: 1, checked: 2, rate: 0.5 },
      ],
      common_trajectories: [
        { sequence: ['read', 'write'], count: 2, percentage: 2 / 3, average_duration_secs: 3 },
        { sequence: ['read'], count: 1, percentage: 1 / 3, average_duration_secs: 1 },
      ],
    });
  });
  test('do not depend on the order of the cells', () => {
    const some = fc.array(
      fc.record({
        variant: fc.constantFrom('a', 'b', 'c'),
        actions: fc.option(fc.array(fc.constantFrom('read', 'write'), { maxLength: 2 })),
        tokens: fc.option(fc.nat(9)),
        judged: fc.dictionary(fc.constantFrom('polite', 'brief'), fc.boolean()),
      }),
      { maxLength: 12 },
    );
    const scenarios = ['a', 'b', 'c'].map((variant) => ({ name: 's', variant, parameters: { x: variant } }));
    const sorted = (results: ParameterResults[]) =>
      results
        .map((one) => ({
          ...one,
          capabilities: [...(one.capabilities ?? [])].sort((a, b) => (a.capability < b.capability ? -1 : 1)),
        }))
        .sort((a, b) => (JSON.stringify(a.value) < JSON.stringify(b.value) ? -1 : 1));
    fc.assert(
      fc.property(some, fc.infiniteStream(fc.nat()), (runs, ranks) => {
        const cells = runs.map(({ variant, actions, tokens, judged }) => worked(variant, actions, tokens, judged));
        const shuffled = cells
          .map((one) => ({ one, rank: ranks.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ one }) => one);
        expect(sorted(byParameter(scenarios, shuffled))).toEqual(sorted(byParameter(scenarios, cells)));
      }),
    );
  });
  test('are empty for variants that are no combinations', () => {
    expect(byParameter([{ name: 's', variant: 'a' }], [cell('a', 'pass', 1, null)])).toEqual([]);
  });
});
