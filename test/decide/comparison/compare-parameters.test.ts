import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareParameters } from '../../../src/decide/comparison/compare-parameters.js';
import { compareSweeps, oneVariant } from '../../../src/decide/comparison/compare-sweeps.js';
import { ALPHA, Comparison, DEFAULT_OPTIONS } from '../../../src/decide/comparison/document.js';
import { metrics } from '../../model/sample.js';
import { sweepOf } from './sample.js';

/** The matrix of these tests: a scenario per combination, so that each has outcomes of its own. */
const MATRIX = [
  { name: 'a1', variant: 'default', parameters: { letter: 'a', digit: 1 } },
  { name: 'a2', variant: 'default', parameters: { letter: 'a', digit: 2 } },
  { name: 'b1', variant: 'default', parameters: { letter: 'b', digit: 1 } },
  { name: 'b2', variant: 'default', parameters: { letter: 'b', digit: 2 } },
];

const matrixOf = (sweep: string, [a1, a2, b1, b2]: readonly [string, string, string, string]) =>
  sweepOf(sweep, { a1, a2, b1, b2 }, () => ({}), { combinations: MATRIX });
const parametersOf = (base: ReturnType<typeof sweepOf>, head: ReturnType<typeof sweepOf>) => {
  // The first look has 0.05 of it.
  const comparison = compareSweeps(base, head, new Map(), { alpha: 0.0625, margin: null });
  expect(Comparison.parse(comparison)).toEqual(comparison);
  return comparison.parameters;
};

const judged = (achieved: boolean, actions: string[], capability = 'polite') =>
  metrics({
    agent_work: { tokens: 7, tool_calls: actions.length, actions },
    details: [
      {
        index: 0,
        gate_type: 'llm_judge',
        name: null,
        subject: '',
        status: 'pass',
        passed: true,
        message: '',
        duration_ms: 1,
        detail: { capability_checklist: [{ capability, achieved, reasoning: '' }] },
      },
    ],
  });

describe('two sweeps of a matrix are compared by parameter', () => {
  test('with the runs of all combinations that have the value, and correction for all values', () => {
    const base = matrixOf('before', ['pppp', 'pppp', 'pppp', 'pppp']);
    const head = matrixOf('after', ['pppp', 'ffff', 'pppp', 'ffff']);
    const found = parametersOf(base, head) ?? [];
    expect(
      found.map(({ parameter, value, head: { passed, tested }, verdict }) => [
        ...[parameter, value, `${passed}/${tested}`, verdict],
      ]),
    ).toEqual([
      ['letter', 'a', '4/8', 'worse'],
      ['letter', 'b', '4/8', 'worse'],
      ['digit', 1, '8/8', 'no difference shown'],
      ['digit', 2, '0/8', 'worse'],
    ]);
    const two = found.at(-1);
    expect(two?.p).toBeLessThan(two?.adjusted_p ?? 0);
    expect(two?.configurations).toBe(2);
  });
  test('and few runs are called too few, not different', () => {
    const found = parametersOf(matrixOf('before', ['p', 'p', 'p', 'p']), matrixOf('after', ['f', 'f', 'f', 'f']));
    expect(new Set(found?.map(({ verdict }) => verdict))).toEqual(new Set(['too few runs']));
  });
  test('and a difference that errors could have caused is not robust', () => {
    const base = matrixOf('before', ['pppp', 'pppp', 'pppp', 'pppp']);
    const robust = (runs: string) =>
      parametersOf(base, matrixOf('after', ['pppp', runs, 'pppp', runs]))?.map((one) => one.robust);
    expect(robust('ffff')).toEqual([true, true, null, true]);
    expect(robust('fFFF')).toEqual([false, false, null, false]);
  });
  test('with the capabilities and trajectories of both sides', () => {
    const sweep = (name: string, achieved: boolean, actions: string[]) =>
      sweepOf(name, { a1: 'pp' }, () => ({ metrics: judged(achieved, actions) }), { combinations: MATRIX });
    const found = parametersOf(sweep('before', true, ['read']), sweep('after', false, ['write']));
    expect(found).toHaveLength(2);
    expect(found?.[0]).toMatchObject({
      capabilities: [{ capability: 'polite', base: { achieved: 2, checked: 2 }, head: { achieved: 0, checked: 2 } }],
      common_trajectories: {
        base: [{ sequence: ['read'], count: 2 }],
        head: [{ sequence: ['write'], count: 2 }],
      },
    });
    expect(found?.[0]?.measures).toContainEqual(
      expect.objectContaining({
        name: 'tokens',
        of: 'mean',
        base: { value: 7, runs: 2 },
        head: { value: 7, runs: 2 },
      }),
    );
  });
  test('a capability that was judged on one side only is unchecked on the other', () => {
    const sweep = (name: string, capability: string) =>
      sweepOf(name, { a1: 'pp' }, () => ({ metrics: judged(true, [], capability) }), {
        combinations: MATRIX,
      });
    expect(parametersOf(sweep('before', 'polite'), sweep('after', 'brief'))?.[0]?.capabilities).toEqual([
      { capability: 'polite', base: { achieved: 2, checked: 2 }, head: { achieved: 0, checked: 0 } },
      { capability: 'brief', base: { achieved: 0, checked: 0 }, head: { achieved: 2, checked: 2 } },
    ]);
  });
  test('but not where their values differ, and not for two variants of one sweep', () => {
    const base = matrixOf('before', ['p', 'p', 'p', 'p']);
    const other = MATRIX.map((one) => ({ ...one, parameters: { letter: 'c' } }));
    expect(parametersOf(base, { ...base, sweep: 'after', combinations: other })).toBeUndefined();
    expect(oneVariant(base, 'default').combinations).toEqual([]);
  });
  test('so that each run counts once for every parameter, and correction never lowers p', () => {
    const outcomes = fc.stringMatching(/^[pfe]{0,4}$/);
    const side = fc.tuple(outcomes, outcomes, outcomes, outcomes);
    fc.assert(
      fc.property(side, side, (before, after) => {
        const [base, head] = [matrixOf('before', before), matrixOf('after', after)];
        const { configurations } = compareSweeps(base, head, new Map());
        const found = parametersOf(base, head) ?? [];
        const isTested = ({ base: b, head: h }: (typeof configurations)[number]) => b.tested > 0 && h.tested > 0;
        const passed = configurations.filter(isTested).reduce((sum, one) => sum + one.head.passed, 0);
        for (const name of ['letter', 'digit']) {
          const values = found.filter(({ parameter }) => parameter === name);
          expect(values.reduce((sum, one) => sum + one.head.passed, 0)).toBe(passed);
          expect(values.reduce((sum, one) => sum + one.configurations, 0)).toBe(configurations.length);
        }
        for (const { p, adjusted_p, verdict } of found) {
          expect((adjusted_p ?? 0) >= (p ?? 0)).toBe(true);
          if (verdict === 'better' || verdict === 'worse') expect(adjusted_p).toBeLessThanOrEqual(ALPHA);
        }
      }),
    );
  });
});

test('sweeps without a matrix have no results by parameter', () => {
  expect(compareParameters({ combinations: [] }, { combinations: [] }, [], DEFAULT_OPTIONS)).toEqual([]);
});
