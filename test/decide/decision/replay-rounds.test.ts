import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/decide/decision/decide.js';
import { countPairs } from '../../../src/decide/decision/count-pairs.js';
import { worstCase, replayRounds } from '../../../src/decide/decision/replay-rounds.js';
import { pairedCells, MAX_TRIES, type CellResult } from '../../../src/decide/decision/paired-cells.js';
import { progressText } from '../../../src/decide/decision/decision-text.js';
import type { BaseRun, UntilClear } from '../../../src/decide/decision/until-clear.js';
import type { Cell } from '../../../src/model/records/cell.js';
import type { Outcome } from '../../../src/model/records/run-facts.js';

const SIDES = ['base', 'head'] as const;

/** The cells of scenarios with two variants, `base` and `head`. */
const cellsOf = (scenarios: number, most: number): Cell[] =>
  Array.from({ length: scenarios }, (_, at) => `s${at}`).flatMap((scenario) =>
    SIDES.flatMap((variant) =>
      Array.from({ length: most }, (_, index): Cell => ({
        id: `${scenario}/${variant}/${index + 1}`,
        scenario,
        agent: 'mock',
        model: 'default',
        variant,
        repetition: index + 1,
      })),
    ),
  );

const planOf = (scenarios: number, most: number, more: Partial<UntilClear> = {}): UntilClear => ({
  base: { kind: 'variant', variant: 'base' },
  margin: null,
  alpha: 0.05,
  most_runs: most,
  round_size: scenarios,
  ...more,
});

/** The outcome of the nth run of a cell, from 1. */
type OutcomeOf = (cell: Cell, nth: number) => Outcome;
const resultOf = (outcome: Outcome, errors = 0): CellResult => ({ outcome, cost_usd: null, errors });

/** The result of a cell after one more run. */
function afterRun(before: CellResult | undefined, cell: Cell, outcomeOf: OutcomeOf): CellResult {
  const errors = before?.errors ?? 0;
  const outcome = outcomeOf(cell, errors + 1);
  return resultOf(outcome, errors + (outcome === 'error' ? 1 : 0));
}

/** The results if all cells were run as often as a sweep runs them at most. */
function resultsOf(cells: readonly Cell[], outcomeOf: OutcomeOf): Map<string, CellResult> {
  const results = new Map<string, CellResult>();
  for (let nth = 1; nth <= MAX_TRIES; nth++)
    for (const cell of cells)
      if ((results.get(cell.id)?.outcome ?? 'error') === 'error')
        results.set(cell.id, afterRun(results.get(cell.id), cell, outcomeOf));
  return results;
}

/**
 * Runs what is released, as a sweep does. `isKilled`: whether it is killed before a run that is due, so that it has to
 * decide by what has ended until then. `pick`: which of the due runs ends next.
 */
function play(
  cells: readonly Cell[],
  plan: UntilClear,
  outcomeOf: OutcomeOf,
  isKilled: () => boolean = () => false,
  pick: (due: readonly Cell[]) => number = () => 0,
) {
  const results = new Map<string, CellResult>();
  for (;;) {
    const replay = replayRounds(cells, plan, results);
    if (replay.wanted.length === 0) return { replay, results };
    const due = [...replay.wanted];
    do {
      for (const cell of due.splice(pick(due), 1))
        results.set(cell.id, afterRun(results.get(cell.id), cell, outcomeOf));
    } while (due.length > 0 && !isKilled());
  }
}

/** Doubles would mostly be tiny. */
const evenly = fc.noBias(fc.integer({ min: 0, max: 999 })).map((at) => at / 1000);

/** Random sweeps: each cell has an outcome of its own. */
const sweepsOf = (limits: { scenarios: number; most: number; errors: number[] }) =>
  fc
    .record({
      scenarios: fc.integer({ min: 1, max: limits.scenarios }),
      most: fc.integer({ min: 1, max: limits.most }),
      margin: fc.option(fc.double({ min: 0.05, max: 0.6, noNaN: true })),
      effect: fc.option(fc.double({ min: 0.05, max: 0.9, noNaN: true }), { nil: undefined }),
      size: fc.integer({ min: 1, max: 6 }),
      rates: fc.record({
        base: evenly,
        head: evenly,
      }),
      errors: fc.constantFrom(...limits.errors),
      seed: fc.integer(),
    })
    .map(({ scenarios, most, margin, effect, size, rates, errors, seed }) => {
      const chance = fc.sample(evenly, {
        seed,
        numRuns: scenarios * most * 2 * (MAX_TRIES + 1),
      });
      const cells = cellsOf(scenarios, most);
      const at = new Map(cells.map((cell, index) => [cell.id, index]));
      const outcomeOf: OutcomeOf = ({ id, variant }, nth) => {
        const index = (at.get(id) ?? 0) * (MAX_TRIES + 1);
        if ((chance[index + nth] ?? 0) < errors) return 'error';
        return (chance[index] ?? 0) < rates[variant as 'base' | 'head'] ? 'pass' : 'fail';
      };
      const more = { margin, round_size: size, ...(effect === undefined ? {} : { effect }) };
      return { cells, plan: planOf(scenarios, most, more), outcomeOf };
    });

const anySweep = sweepsOf({ scenarios: 4, most: 5, errors: [0, 0.2, 0.5] });

describe('replayRounds', () => {
  test('the same results give the same decision, however many of them are known at a time', () => {
    fc.assert(
      fc.property(anySweep, fc.nat(), ({ cells, plan, outcomeOf }, cut) => {
        const { replay, results } = play(cells, plan, outcomeOf);
        // Runs after a stop because of errors could show that it was a matter of time.
        if (replay.stopped !== 'errors') expect(replayRounds(cells, plan, resultsOf(cells, outcomeOf))).toEqual(replay);
        // Whatever was lost with a crash is run again, and leads to the same.
        const kept = new Map([...results].slice(0, cut % (results.size + 1)));
        const before = replayRounds(cells, plan, kept);
        expect(replay.released.slice(0, before.released.length)).toEqual(before.released);
      }),
      { numRuns: 30 },
    );
  });

  test('in whatever order runs end, and whenever the sweep is killed, it decides the same and runs the same', () => {
    fc.assert(
      fc.property(anySweep, fc.infiniteStream(fc.nat(20)), ({ cells, plan, outcomeOf }, stream) => {
        const next = (): number => stream.next().value as number;
        const calm = play(cells, plan, outcomeOf);
        const stormy = play(
          cells,
          plan,
          outcomeOf,
          () => next() < 5,
          (due) => next() % due.length,
        );
        expect(stormy.replay).toEqual(calm.replay);
        expect(new Map(stormy.results)).toEqual(new Map(calm.results));
        expect(decide(cells, plan, stormy.results, 'completed')).toEqual(
          decide(cells, plan, calm.results, 'completed'),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('a cell that ends with an error is run again, at most three times, and its pair counts once both have ended', () => {
    const fails =
      (mended: number): OutcomeOf =>
      ({ variant, repetition }, nth) =>
        variant === 'head' && repetition === 2 && nth < mended ? 'error' : variant === 'head' ? 'fail' : 'pass';
    const mended = play(cellsOf(1, 20), planOf(1, 20), fails(3));
    expect(mended.results.get('s0/head/2')).toEqual(resultOf('fail', 2));
    const { decision } = decide(cellsOf(1, 20), planOf(1, 20), mended.results, 'completed');
    expect(decision).toMatchObject({ verdict: 'worse', pairs_left_out: 0, runs_again: 2 });
    const never = play(cellsOf(1, 20), planOf(1, 20), fails(Infinity));
    expect(never.results.get('s0/head/2')).toEqual(resultOf('error', MAX_TRIES));
    expect(decide(cellsOf(1, 20), planOf(1, 20), never.results, 'completed').decision).toMatchObject({
      verdict: 'worse',
      pairs_left_out: 1,
      runs_again: 2,
      doubts: [expect.stringContaining('1 pair of runs was left out'), expect.stringContaining('1 of 7 cells')],
    });
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
    const { replay } = play(cellsOf(3, 20), planOf(3, 20), ({ variant }) => (variant === 'head' ? 'fail' : 'pass'));
    expect(replay).toMatchObject({ stopped: 'clear', verdict: 'worse' });
    expect(replay.rounds.length).toBeLessThan(10);
  });

  test('stops when a change of the effect is unlikely to be found with the runs that are left', () => {
    const alike: OutcomeOf = ({ repetition }) => (repetition % 2 === 0 ? 'fail' : 'pass');
    const plan = planOf(5, 20, { effect: 0.2 });
    const { replay, results } = play(cellsOf(5, 20), plan, alike);
    expect(replay).toMatchObject({ stopped: 'futile', verdict: 'undecided' });
    expect(replay.rounds.length).toBeLessThan(14);
    const { decision } = decide(cellsOf(5, 20), plan, results, 'completed');
    expect(decision).toMatchObject({ verdict: 'undecided', stopped: 'futile' });
    expect(decision.effect?.power).toBeLessThan(0.2);
    expect(progressText(decision)).toContain('the runs left would show a change of 20 points in only');
    // A smaller change takes more runs, so it is out of reach sooner.
    const smaller = play(cellsOf(5, 20), planOf(5, 20, { effect: 0.1 }), alike).replay;
    expect(smaller.rounds.length).toBeLessThan(replay.rounds.length);
  });

  test('a broken judge, which turns only the passes of head into errors, does not make head worse', () => {
    const outcomeOf: OutcomeOf = ({ variant, repetition }) =>
      repetition % 2 === 0 ? 'fail' : variant === 'head' && repetition % 4 === 1 ? 'error' : 'pass';
    const { results } = play(cellsOf(4, 20), planOf(4, 20), outcomeOf);
    const { decision } = decide(cellsOf(4, 20), planOf(4, 20), results, 'completed');
    expect(decision.verdict).not.toBe('worse');
    expect(decision.pairs_left_out).toBeGreaterThan(0);
  });

  test('nor does one that does so now and then, so that only the passes of head are run again until they fail', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const chance = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { seed, numRuns: 4 * 40 * 4 });
        const cells = cellsOf(4, 20);
        // Both sides are alike, but a pass of head is an error, and the next run of its cell fails.
        const isError = (at: number): boolean => at % 2 === 0 && (chance[at + 320] ?? 0) < 0.9;
        const index = new Map(
          cells.map(({ id, repetition, scenario }) => [id, Number(scenario.slice(1)) * 20 + repetition]),
        );
        const outcomeOf: OutcomeOf = ({ id, variant }, nth) => {
          const at = index.get(id) ?? 0;
          const passes = (chance[at] ?? 0) < 0.5;
          if (variant === 'base') return passes ? 'pass' : 'fail';
          if (nth > 1) return 'fail';
          return passes && isError(at) ? 'error' : passes ? 'pass' : 'fail';
        };
        const { results } = play(cells, planOf(4, 20), outcomeOf);
        const { decision } = decide(cells, planOf(4, 20), results, 'completed');
        expect(decision.verdict).not.toBe('worse');
        if (decision.runs_again > 5) expect(decision.doubts.join()).toContain('error rates differ');
      }),
      { numRuns: 15 },
    );
  });

  test('a verdict holds whatever errors have hidden, also if both sides have as many', () => {
    const verdicts = new Set<string>();
    fc.assert(
      // The rounds of one configuration do not depend on its results.
      fc.property(sweepsOf({ scenarios: 1, most: 20, errors: [0.05, 0.1] }), ({ cells, plan, outcomeOf }) => {
        const { replay, results } = play(cells, plan, outcomeOf);
        if (replay.stopped !== 'clear') return;
        // Without hidden runs, a sweep may give up before its verdict is clear, which makes no verdict false.
        const { most_runs, margin, round_size } = plan;
        const tireless = planOf(1, most_runs, { margin, round_size });
        for (const side of SIDES) {
          const truth = [...results].map(([id, { outcome, errors }]): [string, CellResult] => [
            id,
            resultOf(errors === 0 ? outcome : id.includes(`/${side}/`) ? 'pass' : 'fail'),
          ]);
          expect(replayRounds(cells, tireless, new Map(truth)).verdict).toBe(replay.verdict);
        }
        verdicts.add(replay.verdict ?? '');
      }),
      { numRuns: 100 },
    );
    expect(verdicts.size).toBeGreaterThan(2);
  });

  test.each([
    ['has passed', 'pass', false, 'worse'],
    ['has passed only after an error', 'pass', true, 'not tested'],
    ['ended with an error', null, false, 'not tested'],
  ] as const)('a finished base of which every second run %s', (_, outcome, after_errors, verdict) => {
    const cells = cellsOf(2, 10).filter(({ variant }) => variant === 'head');
    const runs = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? run('pass') : run(outcome, after_errors)));
    const outcomes = ['s0', 's1'].map((scenario) => ({
      scenario,
      agent: 'mock',
      model: 'default',
      variant: 'head',
      runs,
    }));
    const plan = planOf(2, 10, { base: { kind: 'sweep', sweep: 'before', outcomes } });
    // A third of the runs of head pass.
    const { results } = play(cells, plan, ({ repetition }) => (repetition % 3 === 0 ? 'pass' : 'fail'));
    const { decision } = decide(cells, plan, results, 'completed');
    expect(decision.verdict).toBe(verdict);
    expect(decision.doubts.some((doubt) => doubt.includes('of the base had a run'))).toBe(verdict !== 'worse');
  });

  test('stops when several runs in succession have no result', () => {
    const { replay } = play(cellsOf(1, 20), planOf(1, 20), () => 'error');
    expect(replay).toMatchObject({ stopped: 'errors' });
    expect(replay.released).toHaveLength(4); // the first pair three times, the second once
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

const run = (outcome: 'pass' | 'fail' | null, after_errors = false): BaseRun => ({ outcome, after_errors });

test('the worst case counts what is known of pairs without a result, except after an error', () => {
  const [first, second, third] = cellsOf(1, 3).filter(({ variant }) => variant === 'head');
  if (first === undefined || second === undefined || third === undefined) throw new Error('no cells');
  const pairs = [
    { base: run('pass'), head: first },
    { base: run(null), head: second },
    { base: run('fail', true), head: third },
  ];
  const results = new Map([first, second].map(({ id }, at) => [id, resultOf('pass', at)]));
  results.set(third.id, resultOf('error', MAX_TRIES));
  const counts = countPairs(pairs, results);
  expect(counts.leftOut).toMatchObject({ pairs: 2, base: { tested: 1 }, head: { tested: 1 } });
  const worst = (side: 'base' | 'head') => worstCase([[counts]], side)[0]?.[0];
  expect(worst('base')).toEqual({ base: { passed: 3, tested: 3 }, head: { passed: 1, tested: 3 } });
  expect(worst('head')).toEqual({ base: { passed: 1, tested: 3 }, head: { passed: 3, tested: 3 } });
});

test('a pair of which a run was never started hides nothing', () => {
  const [first, second] = cellsOf(1, 2).filter(({ variant }) => variant === 'head');
  if (first === undefined || second === undefined) throw new Error('no cells');
  const pairs = [
    { base: run('pass'), head: first },
    { base: run('pass'), head: second },
  ];
  const counts = countPairs(pairs, new Map([[first.id, resultOf('fail')]]));
  expect(counts).toMatchObject({ notRun: 1, leftOut: { pairs: 0 } });
  const once = { base: { passed: 1, tested: 1 }, head: { passed: 0, tested: 1 } };
  expect([counts.counted, worstCase([[counts]], 'head')[0]?.[0]]).toEqual([once, once]);
});

describe('pairedCells', () => {
  test('pairs the cells of a sweep with the outcomes of a finished base, by repetition', () => {
    const cells = cellsOf(1, 3).filter(({ variant }) => variant === 'head');
    const outcomes = [
      { scenario: 's0', agent: 'mock', model: 'default', variant: 'head', runs: [run('pass'), run('fail')] },
    ];
    const [configuration] = pairedCells(cells, { base: { kind: 'sweep', sweep: 'before', outcomes } });
    expect(configuration?.pairs.map(({ base, head }) => [base, head.repetition])).toEqual([
      [run('pass'), 1],
      [run('fail'), 2],
    ]);
  });

  test('has the pairs of a configuration by repetition, in whichever order the cells are', () => {
    const cells = cellsOf(1, 3).reverse();
    const [configuration] = pairedCells(cells, { base: { kind: 'variant', variant: 'base' } });
    expect(configuration?.pairs.map(({ head }) => head.repetition)).toEqual([1, 2, 3]);
  });
});
