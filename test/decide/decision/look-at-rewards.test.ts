import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../scripts/fuzz/random.js';
import { cellsOf } from '../../../scripts/simulate/sequential.js';
import { canDecide, decide } from '../../../src/decide/decision/decide.js';
import { decisionMovers, decisionText, progressText } from '../../../src/decide/decision/decision-text.js';
import { MAX_TRIES, type CellResult } from '../../../src/decide/decision/paired-cells.js';
import { replayRounds } from '../../../src/decide/decision/replay-rounds.js';
import type { UntilClear } from '../../../src/decide/decision/until-clear.js';
import type { Cell } from '../../../src/model/records/cell.js';
import { powerByMeans } from '../../../src/statistics/look-at-means.js';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
type Random = ReturnType<typeof createRandom>;

const planOf = (scenarios: number, most: number, more: Partial<UntilClear> = {}): UntilClear => ({
  base: { kind: 'variant', variant: 'base' },
  measure: 'reward',
  margin: null,
  alpha: 0.05,
  most_runs: most,
  round_size: scenarios,
  ...more,
});

/** All runs pass, so that only rewards can decide. */
const rewarded = (reward: number, errors = 0): CellResult => ({ outcome: 'pass', cost_usd: null, errors, reward });

const resultsOf = (cells: readonly Cell[], of: (cell: Cell) => CellResult): Map<string, CellResult> =>
  new Map(cells.map((cell) => [cell.id, of(cell)]));

const isHead = ({ variant }: Cell): boolean => variant === 'head';

const MIRRORED: Record<string, string> = { better: 'worse', worse: 'better' };

/** The results of a sweep with rewards of fifths; a few have errors before them or nothing else. */
function draw(random: Random, cells: readonly Cell[]): Map<string, CellResult> {
  const [base, head] = random.pick([
    [0.8, 0.2],
    [0.2, 0.8],
    [0.5, 0.5],
    [0.6, 0.4],
  ] as const);
  return resultsOf(cells, (cell) => {
    const passed = Array.from({ length: 5 }, () => random.chance(isHead(cell) ? head : base)).filter(Boolean).length;
    if (random.chance(0.95)) return rewarded(passed / 5);
    return random.chance(0.5) ? rewarded(passed / 5, 1) : { outcome: 'error', cost_usd: null, errors: MAX_TRIES };
  });
}

describe('a sweep that compares mean rewards', () => {
  const cells = cellsOf(2, 20);

  test('stops when the mean reward is clearly lower, though all runs pass', () => {
    const results = resultsOf(cells, (cell) => rewarded(isHead(cell) ? 0.25 : 0.75));
    const { decision } = decide(cells, planOf(2, 20), results, 'open');
    expect(decision).toMatchObject({ measure: 'reward', verdict: 'worse', stopped: 'clear' });
    expect(decision.difference).toBeCloseTo(-0.5);
    expect(decision.p).toBeLessThanOrEqual(0.05);
    expect(decision.interval?.high).toBeLessThanOrEqual(0);
    expect(decision.runs).toBeLessThan(cells.length);
    expect(decision.configurations[0]).toMatchObject({ base: { reward: 0.75 }, head: { reward: 0.25 } });
    expect(decisionText(decision)).toMatch(
      /^head is worse than base: mean reward -0\.50 \(between -0\.\d\d and -?0\.\d\d\)$/,
    );
    expect(progressText(decision)).toContain('all share the significance level of 0.05');
    expect(decisionMovers(decision).join()).toContain('the mean reward fell');
  });

  test('is undecided by its last run where nothing differs', () => {
    const results = resultsOf(cells, () => rewarded(0.5));
    const { decision } = decide(cells, planOf(2, 20), results, 'open');
    expect(decision).toMatchObject({ verdict: 'undecided', stopped: 'most runs', difference: 0, p: 1 });
  });

  test('shows that nothing is worse by a margin', () => {
    const results = resultsOf(cells, ({ repetition }) => rewarded(repetition % 2));
    const { decision } = decide(cells, planOf(2, 20, { margin: 0.3 }), results, 'open');
    expect(decision).toMatchObject({ verdict: 'equivalent', stopped: 'clear' });
    expect(decision.interval?.low).toBeGreaterThan(-0.3);
    expect(decisionText(decision)).toContain('differ by less than 0.3');
  });

  test('gives up when the effect is unlikely to be found, and not while it is likely', () => {
    const alike = resultsOf(cells, (cell) => rewarded(isHead(cell) === (cell.repetition % 2 === 0) ? 1 : 0));
    const { decision } = decide(cells, planOf(2, 20, { effect: 0.3 }), alike, 'open');
    expect(decision).toMatchObject({ verdict: 'undecided', stopped: 'futile', effect: { difference: 0.3 } });
    expect(decision.effect?.power).toBeLessThan(0.2);
    expect(decision.runs).toBeLessThan(0.8 * cells.length);
    expect(progressText(decision)).toContain('the runs left would show a change of 0.3 in only');
    const changed = resultsOf(cells, (cell) => rewarded((cell.repetition % 2) * 0.6 + (isHead(cell) ? 0.3 : 0)));
    const found = decide(cells, planOf(2, 20, { effect: 0.3 }), changed, 'open').decision;
    expect(found).toMatchObject({ verdict: 'better', stopped: 'clear' });
    // A single pair, which differs as much as possible.
    const power = powerByMeans([[{ low: 1, high: 1 }]], { effect: 0.3, alpha: 0.05, most: 40 });
    expect(power).toBeGreaterThan(0.5);
    expect(power).toBeLessThan(1);
  });

  test.each([[1.5], [-0.5], [undefined]])('does not count the reward %s', (reward) => {
    const results = resultsOf(cells, (cell) =>
      isHead(cell) && reward !== undefined ? rewarded(reward) : { outcome: 'pass', cost_usd: null, errors: 0 },
    );
    const { decision } = decide(cells, planOf(2, 20), results, 'open');
    expect(decision).toMatchObject({ verdict: 'not tested', stopped: 'errors' });
    expect(progressText(decision)).toContain('too many runs have no reward from 0 to 1');
    expect(decision.doubts.join()).toContain('a run has no reward from 0 to 1');
  });

  test('each round has as many pairs of every configuration', () => {
    const five = cellsOf(5, 8);
    const { rounds } = replayRounds(
      five,
      planOf(5, 8, { round_size: 13 }),
      resultsOf(five, () => rewarded(0.5)),
      true,
    );
    for (const round of rounds) expect(new Set(round.map(({ counted }) => counted.base.tested)).size).toBe(1);
  });

  test('an outcome that errors could have made is no verdict', () => {
    // The side that seems better had errors before half of its results.
    const results = resultsOf(cells, (cell) =>
      rewarded(isHead(cell) ? 0.8 : 0.3, isHead(cell) && cell.repetition % 2 === 0 ? 1 : 0),
    );
    expect(decide(cells, planOf(2, 20), results, 'open').decision.verdict).toBe('not tested');
    const without = resultsOf(cells, (cell) => rewarded(isHead(cell) ? 0.8 : 0.3));
    expect(decide(cells, planOf(2, 20), without, 'open').decision.verdict).toBe('better');
  });

  test('from 6 scenarios on, says what to expect of others', () => {
    const six = cellsOf(6, 10);
    const results = resultsOf(six, (cell) =>
      rewarded(isHead(cell) ? 0.3 + 0.05 * Number(cell.scenario.slice(1)) : 0.9),
    );
    const { decision } = decide(six, planOf(6, 10), results, 'completed');
    expect(decision.other_scenarios?.low).toBeLessThanOrEqual(decision.interval?.low ?? NaN);
    expect(decision.other_scenarios?.high).toBeGreaterThanOrEqual(decision.interval?.high ?? NaN);
  });

  test('can decide with 6 pairs, not with 5', () => {
    expect([5, 6].map((most) => canDecide(cellsOf(1, most), planOf(1, most)))).toEqual([false, true]);
  });
});

test('exchanging the sides mirrors the verdict, the interval and p', () => {
  let shown = 0;
  for (let at = 0; at < 70; at++) {
    const random = createRandom(100_000 * SEED + at);
    const [scenarios, most] = [1 + random.below(4), random.pick([6, 10, 16])];
    const cells = cellsOf(scenarios, most);
    const results = draw(random, cells);
    const margin = random.pick([null, 0.2]);
    const exchanged = new Map(
      cells.flatMap(({ id }) => {
        const result = results.get(id);
        const other = id.includes('/base/') ? id.replace('/base/', '/head/') : id.replace('/head/', '/base/');
        return result === undefined ? [] : [[other, result] as const];
      }),
    );
    const one = decide(cells, planOf(scenarios, most, { margin }), results, 'completed').decision;
    const other = decide(cells, planOf(scenarios, most, { margin }), exchanged, 'completed').decision;
    // A margin is asked of one side only.
    if (margin === null) {
      expect(other.verdict).toBe(MIRRORED[one.verdict] ?? one.verdict);
      expect(other.p).toBeCloseTo(one.p ?? NaN, 9);
      expect(other.difference).toBeCloseTo(0 - (one.difference ?? NaN), 9);
      expect(other.interval?.low).toBeCloseTo(0 - (one.interval?.high ?? NaN), 6);
      expect(other.interval?.high).toBeCloseTo(0 - (one.interval?.low ?? NaN), 6);
      if (MIRRORED[one.verdict] !== undefined) shown += 1;
    }
    expect(one.interval?.low).toBeGreaterThanOrEqual(-1);
    expect(one.interval?.high).toBeLessThanOrEqual(1);
    if (one.verdict === 'better' || one.verdict === 'worse') expect(one.p).toBeLessThanOrEqual(0.05);
  }
  expect(shown).toBeGreaterThan(10);
});

test('a verdict holds whatever the runs that ended with errors would have shown', () => {
  let tried = 0;
  for (let at = 0; at < 70; at++) {
    const random = createRandom(100_000 * SEED + 5000 + at);
    const cells = cellsOf(2, 14);
    const results = draw(random, cells);
    const { verdict, stopped, runs } = decide(cells, planOf(2, 14), results, 'completed').decision;
    if (MIRRORED[verdict] === undefined) continue;
    expect(stopped).not.toBe('errors');
    const after = resultsOf(cells, (cell) => {
      const result = results.get(cell.id) ?? rewarded(0);
      return result.errors === 0 ? result : rewarded(random.pick([0, 0.5, 1]));
    });
    tried += 1;
    const whole = decide(cells, planOf(2, 14), after, 'completed').decision;
    expect([verdict, 'undecided'], `${at}: ${runs} runs`).toContain(whole.verdict);
    expect(whole.difference ?? NaN).not.toBe(0);
  }
  expect(tried).toBeGreaterThan(10);
});
