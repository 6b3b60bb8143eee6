import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareSweeps, type SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import { Comparison } from '../../../src/decide/comparison/document.js';
import { decide } from '../../../src/decide/decision/decide.js';
import type { Decision } from '../../../src/decide/decision/decision.js';
import { endedCells } from '../../../src/decide/decision/paired-cells.js';
import { renderComparison } from '../../../src/reports/comparison/comparison.js';
import { resultLine } from '../../store/sample.js';
import { sweepOf } from './sample.js';

/** The decision of a sweep that was to run until its verdict is clear. */
const decisionOf = (more: Partial<Decision> = {}): Decision => ({
  base: { variant: null, sweep: 'a' },
  head_variant: null,
  verdict: 'undecided',
  stopped: 'most runs',
  margin: null,
  alpha: 0.05,
  difference: -0.5,
  interval: { low: -0.8, high: 0.1 },
  spent_alpha: 0.05,
  p: 0.2,
  rounds: 6,
  runs: 6,
  runs_again: 0,
  most_runs: 6,
  pairs_left_out: 0,
  configurations: [],
  doubts: [],
  ...more,
});

const [BASE, HEAD] = [{ x: 'pppppp' }, { x: 'pfffff' }];
const decided = (decision: Decision): SweepToCompare => sweepOf('b', HEAD, undefined, { decision });
const compare = (base: SweepToCompare, head: SweepToCompare, margin: number | null = null): Comparison =>
  Comparison.parse(compareSweeps(base, head, new Map(), { alpha: 0.05, margin }));

describe('a sweep that ran until its verdict was clear', () => {
  test('has p, interval and verdict of its sequential test, if it is compared with what it was compared with', () => {
    expect(compare(sweepOf('a', BASE), sweepOf('b', HEAD))).toMatchObject({
      verdict: 'worse',
      gate: { result: 'worse' },
    });
    const { verdict, total, gate, head, configurations, doubts } = compare(sweepOf('a', BASE), decided(decisionOf()));
    expect(verdict).toBe('no difference shown');
    expect(total).toMatchObject({
      sequential: true,
      difference: -0.5,
      p: 0.2,
      interval: { low: -0.8, high: 0.1 },
    });
    expect(configurations[0]).toMatchObject({ verdict: 'no difference shown', p: 0.2 });
    expect(gate.result).toBe('not shown');
    expect(head.stopped).toBe('most runs');
    expect(doubts).toEqual([expect.stringMatching(/^these are the two sides of a sweep that was to run until/)]);
  });

  test.each([
    ['worse', 'clear', 'worse', true],
    ['not tested', 'errors', 'worse', false],
    ['undecided', null, 'worse', false],
  ] as const)('that is %s (%s) is %s; robust: %s', (verdict, stopped, expected, robust) => {
    const clear = { verdict, stopped, p: 0.01, interval: { low: -0.9, high: -0.1 } };
    const errors = { x: 'FFFFfp' };
    const head = sweepOf('b', errors, undefined, { decision: decisionOf(clear) });
    const found = compare(sweepOf('a', BASE), head);
    expect([found.verdict, found.total.robust]).toEqual([expected, robust]);
  });

  test('holds a margin only with its own interval', () => {
    const wide = decisionOf({ difference: 0, interval: { low: -0.3, high: 0.3 }, p: 1 });
    const holds = (margin: number) => compare(sweepOf('a', BASE), decided(wide), margin).total.not_worse?.holds;
    expect([holds(0.2), holds(0.4)]).toEqual([false, true]);
  });

  test('is the same for two variants of the sweep', () => {
    const decision = decisionOf({ base: { variant: 'bare', sweep: null }, head_variant: 'guided' });
    const side = (variant: string, runs: typeof BASE) => sweepOf('s', runs, undefined, { decision, variant });
    expect(compare(side('bare', BASE), side('guided', HEAD)).total.sequential).toBe(true);
    const swapped = compare(side('guided', HEAD), side('bare', BASE));
    expect(swapped.total.sequential).toBeUndefined();
    expect(swapped.doubts).toEqual([expect.stringMatching(/^the sweep was to run until/)]);
  });

  test('is doubted if it is compared with another, or at another level', () => {
    const doubt = /^head was to run until .* stopped for another reason: most runs: how many runs there are depends/;
    for (const found of [
      compare(sweepOf('other', BASE), decided(decisionOf())),
      compareSweeps(sweepOf('a', BASE), decided(decisionOf()), new Map(), { alpha: 0.01, margin: null }),
    ]) {
      expect(found.total.sequential).toBeUndefined();
      expect(found.doubts).toEqual([expect.stringMatching(doubt)]);
    }
    expect(compare(decided(decisionOf({ stopped: 'clear' })), sweepOf('c', BASE)).doubts).toEqual([
      expect.stringMatching(/^base ran until its verdict was clear/),
    ]);
  });
});

/** Runs until the verdict against the sweep `a` is clear, and compares the two. */
function runAndCompare(before: string, now: string, margin: number | null) {
  const [base, head] = [sweepOf('a', { x: before }), sweepOf('b', { x: now })];
  const ended = endedCells(base.lines);
  const runs = base.cells.map(({ id }) => {
    const { outcome = 'error', errors = 1 } = ended.get(id) ?? {};
    return outcome === 'pass' || outcome === 'fail'
      ? { outcome, after_errors: errors > 0 }
      : { outcome: null, after_errors: false };
  });
  const outcomes = [{ scenario: 'x', agent: 'mock', model: 'default', variant: 'default', runs }];
  const { released, decision } = decide(
    head.cells,
    {
      base: { kind: 'sweep', sweep: 'a', outcomes },
      margin,
      alpha: 0.05,
      most_runs: before.length,
      round_size: 1,
    },
    endedCells(head.lines),
    'completed',
  );
  const lines = head.lines.filter(({ cell }) => released.some(({ id }) => id === cell));
  return { decision, comparison: compare(base, { ...head, cells: released, lines, decision }, margin) };
}

describe('a sweep that ran until its verdict was clear, and its comparison,', () => {
  test('are never surer than what they count, nor is one of them surer than the other', () => {
    const letters = (length: number) =>
      fc
        .constantFrom(...['p', 'f', 'pf', 'pppe', 'fffe', 'ppfe', 'pPfF', 'ppP', 'ffF'])
        .chain((set) => fc.array(fc.constantFrom(...Array.from(set)), { minLength: length, maxLength: length }))
        .map((found) => found.join(''));
    const sides = fc.integer({ min: 4, max: 12 }).chain((length) => fc.tuple(letters(length), letters(length)));
    fc.assert(
      fc.property(sides, fc.constantFrom(null, 0.3), ([before, now], margin) => {
        const { decision, comparison } = runAndCompare(before, now, margin);
        const { verdict, p, interval } = decision;
        const isShown = verdict === 'better' || verdict === 'worse';
        if (isShown) expect(p).toBeLessThanOrEqual(0.05);
        if (verdict === 'not worse' || verdict === 'equivalent')
          expect(interval?.low).toBeGreaterThanOrEqual(-(margin ?? 0) - 1e-6);
        if (isShown) expect([comparison.verdict, comparison.total.robust]).toEqual([verdict, true]);
        if (verdict === 'worse' && margin === null) expect(comparison.gate.result).toBe('worse');
        if (verdict !== 'not tested' && verdict !== 'undecided') return;
        expect(comparison.total.robust).not.toBe(true);
        expect(['not worse', 'worse']).not.toContain(comparison.gate.result);
      }),
      { numRuns: 60 },
    );
  });

  test('do not call head worse if only all errors together would, while what counts does not show it', () => {
    const { decision, comparison } = runAndCompare('pppppppppppp', 'pfpepfepfepf', null);
    expect(decision).toMatchObject({ verdict: 'not tested' });
    expect(comparison.gate.result).not.toBe('worse');
  });
});

describe('a sweep that has stopped, with errors, and is compared with a margin', () => {
  /** More passes than failures on both sides. Errors could hide a loss. */
  const [before, now] = ['pppppppppppp', 'ppppppppPPPP'];
  const decisionWith = (more: Partial<Decision>): Decision =>
    decisionOf({ difference: 0, interval: { low: -0.2, high: 0.2 }, p: 1, ...more });
  const RISE = { difference: 0.2, interval: { low: 0.05, high: 0.35 }, p: 0.01 };
  const told = (comparison: Comparison): string =>
    renderComparison(comparison, { color: false, width: 200, now: 0, command: (words) => words });
  const compared = (more: Partial<Decision>, margin: number): Comparison =>
    compare(sweepOf('a', { x: before }), sweepOf('b', { x: now }, undefined, { decision: decisionWith(more) }), margin);

  test.each<[what: string, Partial<Decision>, margin: number]>([
    ['none was asked for', { verdict: 'undecided', stopped: 'most runs', margin: null }, 0.3],
    ['a larger one was shown', { verdict: 'not worse', stopped: 'clear', margin: 0.4 }, 0.3],
    ['head is worse', { verdict: 'worse', stopped: 'clear', p: 0.01, margin: null }, 0.3],
  ])('claims none that its verdict does not show: %s', (_what, decision, margin) => {
    const comparison = compared(decision, margin);
    expect(comparison.total.not_worse?.holds).not.toBe(true);
    expect(comparison.total.equivalent).not.toBe(true);
    expect(comparison.gate.result).not.toBe('not worse');
    expect(told(comparison)).not.toMatch(/^ {2}(not worse by|equivalent)/m);
  });

  test.each<[what: string, Partial<Decision>, margin: number, bound: number]>([
    ['the same', { verdict: 'not worse', stopped: 'clear', margin: 0.3 }, 0.3, -0.3],
    ['a smaller one', { verdict: 'equivalent', stopped: 'clear', margin: 0.25 }, 0.3, -0.25],
    ['any, because head is better', { verdict: 'better', stopped: 'clear', ...RISE }, 0.1, 0],
  ])('claims one that its verdict shows: %s', (_what, decision, margin, bound) => {
    const comparison = compared(decision, margin);
    expect(comparison.total.not_worse).toEqual({ bound, holds: true });
    expect(comparison.gate.result).toBe('not worse');
    expect(told(comparison)).toMatch(/^ {2}(not worse by|equivalent)/m);
  });
});

test('single configurations of a sweep that has stopped because of all of them have no verdict, nor has the gate', () => {
  const runs = { x: 'pppppppppp', y: 'pppppppppp', z: 'pppppppppp' };
  const [base, fallen] = [sweepOf('a', runs), { ...runs, x: 'ffffffffff' }];
  expect(compare(base, sweepOf('b', fallen)).gate.result).toBe('worse');
  const decision = decisionOf({ difference: -0.1, interval: { low: -0.3, high: 0.1 } });
  const stopped = compare(base, sweepOf('b', fallen, undefined, { decision }));
  expect(stopped.configurations.map(({ verdict, robust }) => [verdict, robust])).toEqual([
    ['worse', false],
    ['no difference shown', null],
    ['no difference shown', null],
  ]);
  expect([stopped.verdict, stopped.gate.result]).toEqual(['no difference shown', 'not shown']);
});

test('cells that the budget left out, and a sweep that was cancelled, are doubted', () => {
  const head = sweepOf('b', { x: 'pppp..' }, undefined, { status: 'cancelled' });
  const lines = head.cells.slice(4).map(({ id: cell }) =>
    resultLine({
      id: `b/${cell}`,
      sweep: 'b',
      cell,
      scenario_id: 'x',
      outcome: 'error',
      results_dir: null,
      starts: 0,
    }),
  );
  const { doubts } = compare(sweepOf('a', BASE), { ...head, lines: [...head.lines, ...lines] });
  expect(doubts).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^head: 2 cells were never started, because of the budget/),
      expect.stringMatching(/^head was cancelled/),
    ]),
  );
});
