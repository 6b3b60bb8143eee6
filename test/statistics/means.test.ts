import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passAtK, passHatK } from '../../src/statistics/pass-at-k.js';
import { predictionPoweredMean } from '../../src/statistics/prediction-powered-mean.js';
import { differenceOfMeans, ratioOfMeans } from '../../src/statistics/ratio-of-means.js';
import { weightedKappa } from '../../src/statistics/weighted-kappa.js';

const alpha = 0.05;
const base = [1.2, 3.4, 2.2, 5.1];
const head = [2.9, 4.4, 8.1, 6, 3.3];

// t.test of R gives the same: references/reference-values.R.txt.
describe('ratioOfMeans', () => {
  test('finds no change where all values are equal, whatever their sums round to', () => {
    for (const value of [1.5, 0.1, 3, 7])
      for (const runs of [3, 4, 7]) {
        const sides = { base: Array<number>(10).fill(value), head: Array<number>(runs).fill(value) };
        expect(ratioOfMeans([sides, sides], { alpha: 0.05 })).toEqual({
          ratio: 1,
          interval: { low: 1, high: 1 },
          p: 1,
        });
      }
  });

  test("of one configuration equals Welch's test of the logarithms by ttest_ind of scipy 1.17.1", () => {
    const found = ratioOfMeans([{ base, head }], { alpha });
    expect(found?.ratio).toBeCloseTo(1.7661879674129548, 10);
    expect(found?.interval?.low).toBeCloseTo(0.6992970728223585, 9);
    expect(found?.interval?.high).toBeCloseTo(4.460793641884336, 9);
    expect(found?.p).toBeCloseTo(0.17651410114698976, 10);
  });
  test('does not change with the unit, and is inverted with base and head swapped', () => {
    // Durations have milliseconds, and costs are rounded: values are equal, or differ by more than rounding errors.
    const value = fc.integer({ min: 100, max: 100_000 }).map((thousandths) => thousandths / 1000);
    const values = fc.array(value, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(values, values, fc.double({ min: 0.1, max: 10, noNaN: true }), (a, b, unit) => {
        const one = ratioOfMeans([{ base: a, head: b }], { alpha });
        const scaled = (all: number[]) => all.map((value) => value * unit);
        const other = ratioOfMeans([{ base: scaled(b), head: scaled(a) }], { alpha });
        expect((one?.ratio ?? NaN) * (other?.ratio ?? NaN)).toBeCloseTo(1, 8);
        if (one?.p !== null) expect(other?.p).toBeCloseTo(one?.p ?? NaN, 6);
      }),
    );
  });
  test('is null where a value is not above 0 or one side has none, and has no interval where nothing tells the variation', () => {
    expect(ratioOfMeans([{ base: [0, 1], head: [1, 2] }], { alpha })).toBeNull();
    expect(ratioOfMeans([{ base: [], head: [1, 2] }], { alpha })).toBeNull();
    expect(ratioOfMeans([{ base: [1], head: [2] }], { alpha })).toEqual({
      ratio: 2,
      interval: null,
      p: null,
    });
  });
  test('takes configurations as the sample if each ran once', () => {
    const once = [1.9, 2, 2.1, 2].map((value) => ({ base: [1], head: [value] }));
    expect(ratioOfMeans(once, { alpha })?.interval?.low).toBeGreaterThan(1.8);
  });
});

test('differenceOfMeans is of the values themselves', () => {
  const found = differenceOfMeans([{ base: [0.5, 0.7], head: [0.9, 0.7] }], { alpha });
  expect(found?.estimate).toBeCloseTo(0.2, 12);
});

describe('passAtK and passHatK', () => {
  test('are shares of the choices of k runs', () => {
    expect(passAtK({ passed: 3, tested: 10 }, 3)).toBeCloseTo(0.7083333333333333, 12);
    expect(passHatK({ passed: 7, tested: 10 }, 3)).toBeCloseTo(0.2916666666666667, 12);
    expect(passAtK({ passed: 3, tested: 10 }, 11)).toBeNull();
    expect(passHatK({ passed: 2, tested: 10 }, 3)).toBe(0);
  });
  test('are the pass rate for one run, and no further from each other for fewer runs', () => {
    const counts = fc
      .integer({ min: 2, max: 60 })
      .chain((tested) => fc.tuple(fc.nat(tested), fc.constant(tested)));
    fc.assert(
      fc.property(counts, ([passed, tested]) => {
        expect(passAtK({ passed, tested }, 1)).toBeCloseTo(passed / tested, 10);
        expect(passHatK({ passed, tested }, 1)).toBeCloseTo(passed / tested, 10);
        expect(passHatK({ passed, tested }, 2)).toBeLessThanOrEqual(passed / tested + 1e-12);
      }),
    );
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
      const { low = NaN, high = NaN } =
        predictionPoweredMean({ labelled, judged }, { alpha })?.interval ?? {};
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
    expect(
      predictionPoweredMean({ labelled: [{ human: 1, judge: 1 }], judged: [1, 0] }, { alpha }),
    ).toBeNull();
  });
});
