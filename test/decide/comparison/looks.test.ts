import { describe, expect, test } from 'vitest';
import {
  compareSweeps,
  compareWithBaseline,
  type SweepToCompare,
} from '../../../src/decide/comparison/compare-sweeps.js';
import { baselineOf } from '../../../src/decide/comparison/baseline.js';
import type { Comparison } from '../../../src/decide/comparison/document.js';
import { withOrigins } from '../../../src/decide/comparison/looks.js';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { sweepOf } from './sample.js';

/**
 * A results folder in which sweeps run one after the other. Each reuses the results of an earlier one of the same side.
 */
function folder() {
  const results: ResultLine[] = [];
  const outcomes = new Map<string, string>();
  const known = new Map<string, string[]>();
  return {
    results,
    /** Adds runs with these outcomes to what the sweep `from` has. `inputs`: a name for what they depend on. */
    run: (name: string, letters: string, from?: string, inputs?: string): SweepToCompare => {
      const before = from === undefined ? '' : (outcomes.get(from) ?? '');
      const ids = from === undefined ? [] : (known.get(from) ?? []);
      const timestamp = new Date(Date.UTC(2026, 0, 1 + outcomes.size)).toISOString();
      const sweep = sweepOf(name, { notes: before + letters }, (_, repetition) => ({
        timestamp,
        cache_key: inputs === undefined ? null : `${inputs} ${repetition}`.padStart(12, '0'),
        ...(repetition > before.length ? {} : { id: `${name}/${repetition}`, cached_from: ids[repetition - 1] ?? '' }),
      }));
      outcomes.set(name, before + letters);
      known.set(
        name,
        sweep.lines.map(({ id, cached_from }) => cached_from ?? id),
      );
      const keys = new Set(sweep.lines.map(({ cache_key }) => cache_key));
      results.push(...sweep.lines);
      const others = (): ResultLine[] =>
        results.filter((line) => line.sweep !== name && line.cached_from === null && keys.has(line.cache_key));
      return {
        ...sweep,
        lines: withOrigins(sweep.lines, results),
        get others() {
          return others();
        },
      };
    },
  };
}

const compare = (base: SweepToCompare, head: SweepToCompare): Comparison => compareSweeps(base, head, new Map());

const lookOf = ({ look, alpha }: Comparison) => ({ number: look?.number, level: alpha });

const FIVE = 'pppff';
const TWENTY = FIVE.repeat(4);

describe('looks at a question', () => {
  test('the first one has most of alpha, and says so', () => {
    const { run } = folder();
    const first = compare(run('a', FIVE), run('b', FIVE));
    expect(first).toMatchObject({ alpha: 0.04, look: { number: 1, of_alpha: 0.05, spent: 0.04 } });
  });

  test('one after runs were bought for both sides is tested at what is left', () => {
    const { run } = folder();
    const [base, head] = [run('a', FIVE), run('b', FIVE)];
    const first = compare(base, head);
    const more = compare(run('c', TWENTY, 'a'), run('d', TWENTY, 'b'));
    expect(more.look).toMatchObject({ number: 2, of_alpha: 0.05 });
    expect(more.alpha).toBeCloseTo(0.01, 3);
    expect(more.look?.spent).toBeCloseTo(0.048, 3);
    // Runs that were bought before change nothing in a comparison without it.
    expect(compare(base, head)).toEqual(first);
  });

  test('p, interval and verdict are those of the level of the look', () => {
    // 17 of 25 against 9 of 25: p is about .025, which would be shown at once.
    const [before, after] = ['p'.repeat(17) + 'f'.repeat(8), 'p'.repeat(9) + 'f'.repeat(16)];
    const once = folder();
    const first = compare(once.run('a', before), once.run('b', after));
    const twice = folder();
    const [base, head] = [
      [before.slice(0, 5), before.slice(5)],
      [after.slice(0, 5), after.slice(5)],
    ];
    twice.run('a', base[0] ?? '');
    twice.run('b', head[0] ?? '');
    const second = compare(twice.run('c', base[1] ?? '', 'a'), twice.run('d', head[1] ?? '', 'b'));
    expect(second.total.p).toBe(first.total.p);
    expect([first.verdict, second.verdict]).toEqual(['worse', 'no difference shown']);
    expect([first.gate.result, second.gate.result]).toEqual(['worse', 'not shown']);
    expect(second.total.interval?.high).toBeGreaterThanOrEqual(0);
    const width = ({ total: { base } }: Comparison) => (base.interval?.high ?? 0) - (base.interval?.low ?? 0);
    expect(width(second)).toBeGreaterThan(width(first));
  });

  test('the hint counts with the level of the next look', () => {
    const { run } = folder();
    const { total } = compare(run('a', FIVE), run('b', FIVE));
    expect(total.needed?.alpha).toBeCloseTo(0.01, 3);
    const more = Array.from({ length: total.needed?.runs ?? 0 }, (_, at) => 'pf'[at % 2]).join('');
    const next = compare(run('c', more, 'a'), run('d', more, 'b'));
    expect(next.alpha).toBeCloseTo(total.needed?.alpha ?? 0, 4);
    expect(next.total.needed?.runs).toBeLessThanOrEqual(10);
  });

  test('the same runs in other sweeps are the same look', () => {
    const { run } = folder();
    run('a', FIVE);
    run('b', FIVE);
    expect(lookOf(compare(run('c', '', 'a'), run('d', '', 'b')))).toEqual({ number: 1, level: 0.04 });
  });

  test('runs of both sides in one sweep, and of one side at a time, are looks', () => {
    const { run } = folder();
    run('a', FIVE);
    run('b', FIVE);
    const base = run('c', TWENTY, 'a');
    // Only base has more yet.
    const second = compare(base, run('d', '', 'b'));
    expect(second.look?.number).toBe(2);
    const third = compare(base, run('e', FIVE, 'b'));
    expect(third.look?.number).toBe(2);
    expect(compare(base, run('f', FIVE, 'e')).look?.number).toBe(3);
    expect(compare(base, run('g', FIVE, 'f')).look?.number).toBe(4);
  });

  test('runs of one side before the other had any are none', () => {
    const { run } = folder();
    run('a', FIVE);
    const base = run('b', TWENTY, 'a');
    expect(lookOf(compare(base, run('c', FIVE)))).toEqual({ number: 1, level: 0.04 });
  });

  test('one that could not have shown anything has spent nothing', () => {
    const { run } = folder();
    const few = compare(run('a', 'pf'), run('b', 'pf'));
    expect(few).toMatchObject({ verdict: 'too few runs', look: { number: 1, spent: 0 } });
    expect(few.total.needed?.alpha).toBe(0.04);
    expect(lookOf(compare(run('c', FIVE, 'a'), run('d', FIVE, 'b')))).toEqual({ number: 1, level: 0.04 });
  });

  test('results whose first sweep is gone were there before', () => {
    const { run } = folder();
    run('a', FIVE);
    run('b', FIVE);
    const gone = (sweep: SweepToCompare): SweepToCompare => ({
      ...sweep,
      lines: withOrigins(sweep.lines, sweep.lines),
    });
    expect(compare(gone(run('c', TWENTY, 'a')), gone(run('d', TWENTY, 'b'))).look?.number).toBe(2);
  });

  test('a baseline was there before every run of head', () => {
    const { run } = folder();
    const base = { file: 'baseline.jsonl', lines: baselineOf(run('a', TWENTY)) };
    expect(compareWithBaseline(base, run('b', FIVE)).look?.number).toBe(1);
    expect(compareWithBaseline(base, run('c', FIVE, 'b')).look?.number).toBe(2);
    expect(compareWithBaseline(base, run('d', FIVE, 'c')).look?.number).toBe(3);
  });

  test('exchanging the sides changes nothing', () => {
    const { run } = folder();
    run('a', FIVE);
    run('b', 'ppppp');
    const [base, head] = [run('c', FIVE, 'a'), run('d', 'ppfff', 'b')];
    const [one, other] = [compare(base, head), compare(head, base)];
    expect(other.look).toEqual(one.look);
    expect(other.total.p).toBeCloseTo(one.total.p ?? 0, 12);
    expect(other.total.difference).toBeCloseTo(-(one.total.difference ?? 0), 12);
  });

  test('runs that are repeated without the results before, as with `--no-cache`, are looks', () => {
    const { run } = folder();
    const base = run('a', TWENTY, undefined, 'old');
    const first = run('b', TWENTY, undefined, 'new');
    expect(lookOf(compare(base, first))).toEqual({ number: 1, level: 0.04 });
    const second = compare(base, run('c', TWENTY, undefined, 'new'));
    expect(second.look?.number).toBe(2);
    // They share less with those before than runs that were added.
    expect(second.alpha).toBeCloseTo(0.005, 4);
    const third = compare(base, run('d', FIVE, undefined, 'new'));
    expect(third.look?.number).toBe(3);
    expect(third.alpha).toBeCloseTo(0.00167, 4);
    // The first answer stays, and a side of other inputs is another question.
    expect(lookOf(compare(base, first))).toEqual({ number: 1, level: 0.04 });
    expect(lookOf(compare(base, run('e', TWENTY, undefined, 'newer')))).toEqual({ number: 1, level: 0.04 });
    // It is a look together with `d`, which was for the other side.
    expect(compare(run('f', TWENTY, undefined, 'old'), first).look?.number).toBe(3);
    const baseline = { file: 'baseline.jsonl', lines: baselineOf(base) };
    expect(compareWithBaseline(baseline, run('g', TWENTY, undefined, 'new')).look?.number).toBe(4);
  });

  test('sweeps with the same inputs on both sides, as nights are, ask each time what has changed since', () => {
    const { run } = folder();
    const nights = ['a', 'b', 'c', 'd'].map((name) => run(name, TWENTY, undefined, 'same'));
    const [first, , third, fourth] = nights;
    if (first === undefined || third === undefined || fourth === undefined) throw new Error('no nights');
    expect(compare(first, fourth).look?.number).toBe(1);
    expect(compare(third, fourth).look?.number).toBe(1);
  });
});
