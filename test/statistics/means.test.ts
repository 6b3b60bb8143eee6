import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passAtK, passHatK } from '../../src/statistics/pass-at-k.js';
import { predictionPoweredMean } from '../../src/statistics/prediction-powered-mean.js';
import { meanChange } from '../../src/statistics/mean-change.js';
import { weightedKappa } from '../../src/statistics/weighted-kappa.js';

const alpha = 0.05;

const total = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
/** All ways to choose so many of the values. */
const choices = (values: readonly number[], size: number): number[][] =>
  size === 0
    ? [[]]
    : values.flatMap((value, at) => choices(values.slice(at + 1), size - 1).map((others) => [value, ...others]));

describe('meanChange', () => {
  const ratio = { kind: 'ratio', alpha } as const;
  const difference = { kind: 'difference', alpha } as const;
  const base = [1.2, 3.4, 2.2, 5.1];
  const head = [2.9, 4.4, 8.1, 6, 9.3];

  /** p of the test that each of all exchanges is as likely, if head is `factor` times base. */
  const enumerated = (factor: number): number => {
    const scaled = base.map((value) => value * factor);
    const values = [...scaled, ...head];
    const ratioIf = (ofBase: readonly number[]): number =>
      (total(values) - total(ofBase)) / head.length / (total(ofBase) / base.length);
    const all = choices(values, base.length).map(ratioIf);
    const observed = ratioIf(scaled);
    const share = (is: (one: number) => boolean): number => all.filter(is).length / all.length;
    return Math.min(
      1,
      2 *
        Math.min(
          share((one) => one <= observed + 1e-9),
          share((one) => one >= observed - 1e-9),
        ),
    );
  };
  test('has the p of all exchanges of runs, and the factors that they do not reject', () => {
    const found = meanChange([{ base, head }], ratio);
    expect(found?.value).toBeCloseTo(6.14 / 2.975, 12);
    // 126 exchanges, of which 1000 are drawn.
    expect(Math.abs((found?.p ?? NaN) - enumerated(1))).toBeLessThan(0.02);
    const { low = NaN, high = NaN } = found?.interval ?? {};
    expect(low).toBeGreaterThan(0);
    expect(enumerated(low * 0.97)).toBeLessThan(0.1);
    expect(enumerated(low * 1.03)).toBeGreaterThan(0.02);
    expect(enumerated(high * 1.03)).toBeLessThan(0.1);
    expect(enumerated(high * 0.97)).toBeGreaterThan(0.02);
  });
  test('finds no change where all values are equal, whatever their sums round to', () => {
    for (const value of [1.5, 0.1, 3, 7])
      for (const runs of [3, 4, 7]) {
        const sides = { base: Array<number>(10).fill(value), head: Array<number>(runs).fill(value) };
        expect(meanChange([sides, sides], ratio)).toMatchObject({
          value: 1,
          interval: { low: 1, high: 1 },
          p: 1,
        });
        expect(meanChange([sides], difference)).toMatchObject({
          value: 0,
          interval: { low: 0, high: 0 },
          p: 1,
        });
      }
  });
  const value = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000);
  const values = fc.array(value, { minLength: 1, maxLength: 6 });
  const groups = fc.array(fc.record({ base: values, head: values }), { minLength: 1, maxLength: 3 });
  const exchanged = (all: readonly { base: number[]; head: number[] }[]) =>
    all.map((group) => ({ base: [...group.head].reverse(), head: group.base }));
  test('is mirrored with base and head swapped, whatever the order of runs', () => {
    fc.assert(
      fc.property(groups, (all) => {
        for (const options of [ratio, difference]) {
          const [one, other] = [meanChange(all, options), meanChange(exchanged(all), options)];
          expect(one === null).toBe(other === null);
          if (one === null || other === null) continue;
          expect(other.base).toBeCloseTo(one.head, 9);
          expect(other.head).toBeCloseTo(one.base, 9);
          expect(other.p).toBe(one.p);
          const mirrored = (by: number): number => (options === ratio ? 1 / by : -by);
          // A mean of nothing but zeros exchanged for others is possible, so an end can be infinite.
          const [low, high] = [mirrored(one.interval?.high ?? NaN), mirrored(one.interval?.low ?? NaN)];
          for (const [is, was] of [
            [other.interval?.low ?? NaN, low],
            [other.interval?.high ?? NaN, high],
          ] as const)
            if (!Number.isNaN(was) && Number.isFinite(was)) expect(is / was || 1).toBeCloseTo(1, 5);
        }
      }),
      { numRuns: 50 },
    );
  });
  test('has a p of at most alpha exactly if the interval excludes no change, and a change within it', () => {
    fc.assert(
      fc.property(groups, (all) => {
        for (const options of [ratio, difference]) {
          const found = meanChange(all, options);
          if (found?.interval == null) continue;
          const { low, high } = found.interval;
          const none = options === ratio ? 1 : 0;
          expect((found.p ?? NaN) <= alpha).toBe(low > none || high < none);
          expect(low).toBeLessThanOrEqual(found.value * (1 + 1e-9) + 1e-9);
          expect(high).toBeGreaterThanOrEqual(found.value * (1 - 1e-9) - 1e-9);
        }
      }),
      { numRuns: 50 },
    );
  });
  test('is null without values on both sides or a mean above 0, and has no interval where no outcome could show a change', () => {
    expect(meanChange([{ base: [0, 0], head: [1, 2] }], ratio)).toBeNull();
    expect(meanChange([{ base: [], head: [1, 2] }], ratio)).toBeNull();
    const few = { base: [1, 1.1, 1.2], head: [9, 9.1, 9.2] };
    expect(meanChange([few], ratio)).toMatchObject({ interval: null, p: null });
    expect(meanChange([few, few], ratio)?.p).toBeLessThan(0.02);
  });
  test('is of the values themselves, each group with the same weight', () => {
    const many = { base: [0.5, 0.5, 0.5, 0.5], head: [0.5, 0.5] };
    expect(meanChange([{ base: [0.5, 0.7], head: [0.9, 0.7] }, many], difference)?.value).toBeCloseTo(0.1, 12);
  });
});

describe('passAtK and passHatK', () => {
  const one = (of: typeof passAtK, passed: number, tested: number, k: number) =>
    of([{ passed, tested }], k, { alpha })?.value;
  test('are shares of the choices of k runs, of fewer than all', () => {
    expect(one(passAtK, 3, 10, 3)).toBeCloseTo(0.7083333333333333, 12);
    expect(one(passHatK, 7, 10, 3)).toBeCloseTo(0.2916666666666667, 12);
    expect(one(passHatK, 2, 10, 3)).toBe(0);
    expect(one(passAtK, 3, 10, 10)).toBeUndefined();
    expect(
      passHatK(
        [
          { passed: 9, tested: 10 },
          { passed: 3, tested: 3 },
        ],
        3,
        { alpha },
      ),
    ).toBeNull();
    expect(passHatK([], 1, { alpha })).toBeNull();
  });
  test('of runs that all passed have an interval that allows for a pass rate of 72 %', () => {
    const { value, interval } = passHatK([{ passed: 10, tested: 10 }], 5, { alpha }) ?? {};
    expect(value).toBe(1);
    expect(interval?.low).toBeCloseTo(0.7224672 ** 5, 6);
    expect(interval?.high).toBe(1);
  });
  test('are the pass rate for one run, no further from each other for fewer runs, and within their interval', () => {
    const counts = fc.integer({ min: 3, max: 60 }).chain((tested) => fc.tuple(fc.nat(tested), fc.constant(tested)));
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 4 }), (all) => {
        const some = all.map(([passed, tested]) => ({ passed, tested }));
        const rate = total(some.map(({ passed, tested }) => passed / tested)) / some.length;
        expect(passAtK(some, 1, { alpha })?.value).toBeCloseTo(rate, 10);
        expect(passHatK(some, 1, { alpha })?.value).toBeCloseTo(rate, 10);
        expect(passHatK(some, 2, { alpha })?.value).toBeLessThanOrEqual(rate + 1e-12);
        for (const of of [passAtK, passHatK]) {
          const { value = NaN, interval } = of(some, 2, { alpha }) ?? {};
          expect(interval?.low).toBeLessThanOrEqual(value);
          expect(interval?.high).toBeGreaterThanOrEqual(value);
        }
      }),
    );
  });
  /** The probability that the interval of pass^2 covers the truth, over all outcomes of two configurations. */
  const coverage = (rates: readonly [number, number], runs: number): number => {
    const binomial = (rate: number, passed: number): number =>
      (total(choices(Array<number>(runs).fill(1), passed).map(() => 1)) || 1) *
      rate ** passed *
      (1 - rate) ** (runs - passed);
    const truth = (rates[0] ** 2 + rates[1] ** 2) / 2;
    let covered = 0;
    for (let a = 0; a <= runs; a++)
      for (let b = 0; b <= runs; b++) {
        const counts = [a, b].map((passed) => ({ passed, tested: runs }));
        const { low = 1, high = 0 } = passHatK(counts, 2, { alpha })?.interval ?? {};
        if (low <= truth && truth <= high) covered += binomial(rates[0], a) * binomial(rates[1], b);
      }
    return covered;
  };
  test.each([
    [0.5, 0.5],
    [0.9, 0.9],
    [0.3, 0.8],
    [0.95, 0.6],
  ] as const)('have an interval that covers the truth, at pass rates of %d and %d', (a, b) => {
    expect(coverage([a, b], 8)).toBeGreaterThan(0.93);
  });
});

describe('weightedKappa', () => {
  const human = [1, 2, 3, 3, 4, 5, 2, 1, 4, 5, 3, 2];
  const judge = [1, 2, 3, 4, 4, 5, 3, 1, 3, 5, 3, 1];
  const pairs = human.map((score, at) => ({ human: score, judge: judge[at] ?? NaN }));

  test("equals cohens_kappa(wt='quadratic') of statsmodels 0.15.0", () => {
    const found = weightedKappa(pairs, { alpha });
    expect(found?.kappa).toBeCloseTo(0.908745247148289, 10);
    // Its kappa and standard error of the pairs and two more, (1, 2) and (2, 1), with t.isf(0.025, 11) of scipy.
    expect(found?.interval.low).toBeCloseTo(0.7693479187070218, 9);
    expect(found?.interval.high).toBe(1);
  });
  test('does not change with the scale, nor with the raters swapped', () => {
    const scaled = pairs.map((pair) => ({ human: pair.judge / 5, judge: pair.human / 5 }));
    expect(weightedKappa(scaled, { alpha })?.kappa).toBeCloseTo(0.908745247148289, 10);
  });
  test('is null where all scores are the same, or there are none', () => {
    expect(weightedKappa([], { alpha })).toBeNull();
    expect(
      weightedKappa(
        [
          { human: 1, judge: 1 },
          { human: 1, judge: 1 },
        ],
        { alpha },
      ),
    ).toBeNull();
  });
  test('is uncertain after a few labels, even if all agree', () => {
    const few = [0, 1, 1].map((score) => ({ human: score, judge: score }));
    expect(weightedKappa(few, { alpha })?.interval.low).toBeLessThan(0.5);
  });
});

describe('predictionPoweredMean', () => {
  test('corrects the bias of a judge, and is uncertain after a few labels, even if all agree', () => {
    const generous = Array.from({ length: 20 }, (_, at) => ({ human: at % 2 === 0 ? 1 : 0, judge: 1 }));
    const found = predictionPoweredMean({ labelled: generous, judged: Array<number>(80).fill(1) }, { alpha });
    expect(found?.mean).toBeCloseTo(0.5, 10);
    const few = [0, 1, 1].map((score) => ({ human: score, judge: score }));
    const judged = Array.from({ length: 100 }, (_, at) => at % 2);
    const interval = predictionPoweredMean({ labelled: few, judged }, { alpha })?.interval;
    expect((interval?.high ?? NaN) - (interval?.low ?? NaN)).toBeGreaterThan(0.4);
  });
  test('is surer the more runs the judge has scored', () => {
    const labelled = [0, 1, 1, 0].map((score) => ({ human: score, judge: score }));
    const widths = [2, 4, 8, 40].map((runs) => {
      const judged = Array.from({ length: runs }, (_, at) => at % 2);
      const { low = NaN, high = NaN } = predictionPoweredMean({ labelled, judged }, { alpha })?.interval ?? {};
      return high - low;
    });
    expect(widths).toEqual([...widths].sort((a, b) => b - a));
  });
  test('has the interval of the labels and of two more runs on which person and judge disagree', () => {
    const labelled = [0, 0, 1, 1].map((score) => ({ human: score, judge: score }));
    const found = predictionPoweredMean({ labelled, judged: [] }, { alpha });
    // In R: qt(.975, 3) * sqrt(var(c(0, 0, 1, 1, .5 - 1, .5 + 1)) / 4)
    const half = 1.232556;
    expect(found?.mean).toBeCloseTo(0.5, 10);
    expect(found?.interval.low).toBeCloseTo(0.5 - half, 6);
    expect(found?.interval.high).toBeCloseTo(0.5 + half, 6);
  });
  test('is null with fewer than two labels', () => {
    expect(predictionPoweredMean({ labelled: [{ human: 1, judge: 1 }], judged: [1, 0] }, { alpha })).toBeNull();
  });
});
