import { expect, test } from 'vitest';
import { meanBias } from '../../src/statistics/mean-rate.js';

test('the mean bias has the interval of the paired t test', () => {
  const pairs = [
    { human: 0.4, judge: 0.5 },
    { human: 0.6, judge: 0.8 },
    { human: 0.8, judge: 0.8 },
    { human: 0.2, judge: 0.1 },
  ];
  const { estimate, interval } = meanBias(pairs, { alpha: 0.05 }) ?? {};
  expect(estimate).toBeCloseTo(0.05, 12);
  // `t.test(judge, human, paired = TRUE)` of R: references/reference-values.R.txt.
  expect(interval?.low).toBeCloseTo(-0.155426025676052, 10);
  expect(interval?.high).toBeCloseTo(0.255426025676052, 10);
});

test('the mean bias of one run has no interval, and that of none is unknown', () => {
  expect(meanBias([{ human: 0.4, judge: 0.5 }], { alpha: 0.05 })).toMatchObject({ interval: null });
  expect(meanBias([], { alpha: 0.05 })).toBeNull();
});
