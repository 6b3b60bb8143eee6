import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/results/decision/decide.js';
import { pairedCells } from '../../../src/results/decision/paired-cells.js';
import { replayRounds, type CellResult } from '../../../src/results/decision/replay-rounds.js';
import type { UntilClear } from '../../../src/results/decision/until-clear.js';
import type { Cell } from '../../../src/results/records/cell.js';
import type { Outcome } from '../../../src/results/records/result-line.js';

const SIDES = ['base', 'head'] as const;

/** The cells of scenarios with two variants, `base` and `head`. */
const cellsOf = (scenarios: number, most: number): Cell[] =>
  Array.from({ length: scenarios }, (_, at) => `s${at}`).flatMap((scenario) =>
    SIDES.flatMap((variant) =>
      Array.from({ length: most }, (_, index): Cell => ({
        ...{ id: `${scenario}/${variant}/${index + 1}`, scenario, agent: 'mock', model: 'default' },
        ...{ variant, repetition: index + 1 },
      })),
    ),
  );

const planOf = (scenarios: number, most: number, more: Partial<UntilClear> = {}): UntilClear => ({
  base: { kind: 'variant', variant: 'base' },
  ...{ margin: null, alpha: 0.05, most_runs: most, round_size: scenarios },
  ...more,
});

type OutcomeOf = (cell: Cell) => Outcome;
const resultOf = (outcome: Outcome): CellResult => ({ outcome, cost_usd: null });
const resultsOf = (cells: readonly Cell[], outcomeOf: OutcomeOf) =>
  new Map(cells.map((cell) => [cell.id, resultOf(outcomeOf(cell))]));

/** Runs what is released, one batch after the other, as a sweep does. */
function play(cells: readonly Cell[], plan: UntilClear, outcomeOf: OutcomeOf) {
  const results = new Map<string, CellResult>();
  for (;;) {
    const replay = replayRounds(cells, plan, results);
    if (replay.wanted.length === 0) return { replay, results };
    for (const cell of replay.wanted) results.set(cell.id, resultOf(outcomeOf(cell)));
  }
}

/** A random sweep: each cell has an outcome of its own. */
const anySweep = fc
  .record({
    scenarios: fc.integer({ min: 1, max: 4 }),
    most: fc.integer({ min: 1, max: 5 }),
    margin: fc.option(fc.double({ min: 0.05, max: 0.6, noNaN: true })),
    size: fc.integer({ min: 1, max: 6 }),
    rates: fc.record({
      base: fc.double({ min: 0, max: 1, noNaN: true }),
      head: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    errors: fc.constantFrom(0, 0, 0.2),
    seed: fc.integer(),
  })
  .map(({ scenarios, most, margin, size, rates, errors, seed }) => {
    const chance = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), {
      seed,
      numRuns: scenarios * most * 4,
    });
    const cells = cellsOf(scenarios, most);
    const at = new Map(cells.map((cell, index) => [cell.id, index]));
    const outcomeOf: OutcomeOf = ({ id, variant }) => {
      const index = (at.get(id) ?? 0) * 2;
      if ((chance[index] ?? 0) < errors) return 'error';
      return (chance[index + 1] ?? 0) < rates[variant as 'base' | 'head'] ? 'pass' : 'fail';
    };
    return { cells, plan: planOf(scenarios, most, { margin, round_size: size }), outcomeOf };
  });

describe('replayRounds', () => {
  test('the same results give the same decision, however many of them are known at a time', () => {
    fc.assert(
      fc.property(anySweep, fc.nat(), ({ cells, plan, outcomeOf }, cut) => {
        const { replay, results } = play(cells, plan, outcomeOf);
        expect(replayRounds(cells, plan, resultsOf(cells, outcomeOf))).toEqual(replay);
        // Whatever was lost with a crash is run again, and leads to the same.
        const kept = new Map([...results].slice(0, cut % (results.size + 1)));
        const before = replayRounds(cells, plan, kept);
        expect(replay.released.slice(0, before.released.length)).toEqual(before.released);
      }),
      { numRuns: 30 },
    );
  });

  test('both sides of a pair are released together, each cell once, and never more than the plan has', () => {
    fc.assert(
      fc.property(anySweep, ({ cells, plan, outcomeOf }) => {
        const { released } = play(cells, plan, outcomeOf).replay;
        const ids = released.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const keys = (side: string): string[] =>
          released
            .filter(({ variant }) => variant === side)
            .map(({ scenario, repetition }) => `${scenario} ${repetition}`)
            .sort();
        expect(keys('base')).toEqual(keys('head'));
      }),
      { numRuns: 30 },
    );
  });

  test('configurations count as many runs of one side as of the other', () => {
    fc.assert(
      fc.property(anySweep, ({ cells, plan, outcomeOf }) => {
        const { results } = play(cells, plan, outcomeOf);
        const { decision } = decide(cells, plan, results, 'completed');
        for (const { base, head } of decision.configurations) expect(base.tested).toBe(head.tested);
      }),
      { numRuns: 30 },
    );
  });

  test('stops after a few rounds if the difference is plain', () => {
    const { replay } = play(cellsOf(3, 20), planOf(3, 20), ({ variant }) =>
      variant === 'head' ? 'fail' : 'pass',
    );
    expect(replay).toMatchObject({ stopped: 'clear', verdict: 'worse' });
    expect(replay.rounds.length).toBeLessThan(10);
  });

  test('a broken judge, which turns only the passes of head into errors, does not make head worse', () => {
    const outcomeOf: OutcomeOf = ({ variant, repetition }) =>
      repetition % 2 === 0 ? 'fail' : variant === 'head' && repetition % 4 === 1 ? 'error' : 'pass';
    const { results } = play(cellsOf(4, 20), planOf(4, 20), outcomeOf);
    const { decision } = decide(cellsOf(4, 20), planOf(4, 20), results, 'completed');
    expect(decision.verdict).not.toBe('worse');
    expect(decision.pairs_left_out).toBeGreaterThan(0);
  });

  test('stops when several pairs in succession have no result', () => {
    const { replay } = play(cellsOf(1, 20), planOf(1, 20), () => 'error');
    expect(replay).toMatchObject({ stopped: 'errors' });
    expect(replay.released).toHaveLength(8);
  });

  test('what has ended of a round counts if the sweep is over', () => {
    const cells = cellsOf(2, 10);
    const first = new Map(
      replayRounds(cells, planOf(2, 10), new Map())
        .released.slice(0, 3)
        .map(({ id }) => [id, resultOf('pass')]),
    );
    const { decision } = decide(cells, planOf(2, 10), first, 'completed');
    expect(decision).toMatchObject({ stopped: 'budget', verdict: 'undecided', runs: 3, pairs_left_out: 1 });
  });
});

describe('pairedCells', () => {
  test('pairs the cells of a sweep with the outcomes of a finished base, by repetition', () => {
    const cells = cellsOf(1, 3).filter(({ variant }) => variant === 'head');
    const outcomes = [
      { scenario: 's0', agent: 'mock', model: 'default', variant: 'head', passed: [true, false] },
    ];
    const [configuration] = pairedCells(cells, { base: { kind: 'sweep', sweep: 'before', outcomes } });
    expect(configuration?.pairs.map(({ base, head }) => [base, head.repetition])).toEqual([
      ['pass', 1],
      ['fail', 2],
    ]);
  });
});
