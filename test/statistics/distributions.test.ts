import { describe, expect, test } from 'vitest';
import { normalQuantileOfTail, normalTail } from '../../src/statistics/normal.js';
import { tQuantileOfTail, tTail } from '../../src/statistics/student-t.js';

// R gives the same (references/reference-values.R.txt). scipy 1.17.1: stats.norm.sf, stats.norm.isf, stats.t.sf(t, df),
// stats.t.isf(q, df)
describe('the normal distribution', () => {
  test.each([
    [0, 0.5],
    [1, 0.15865525393145707],
    [1.959963984540054, 0.025],
    [3, 0.0013498980316300933],
    [6, 9.865876450376946e-10],
    [-1, 0.8413447460685429],
  ])('beyond %d has the probability of norm.sf: %d', (z, tail) => {
    expect(normalTail(z) / tail).toBeCloseTo(1, 12);
  });
  test.each([
    [0.5, 0],
    [0.025, 1.9599639845400545],
    [0.2, 0.8416212335729142],
    [1e-10, 6.361340902404056],
    [0.9, -1.2815515655446004],
  ])('exceeds norm.isf with probability %d: %d', (tail, z) => {
    expect(normalQuantileOfTail(tail)).toBeCloseTo(z, 12);
  });
});

describe("Student's t distribution", () => {
  test.each([
    [1, 1, 0.25],
    [2.5, 4.3, 0.031224037318105666],
    [2, 30, 0.027312522481491547],
    [-1, 7, 0.8246916685898963],
    [12, 3, 0.0006225079003946681],
  ])('beyond %d with %d degrees of freedom has the probability of t.sf: %d', (t, df, tail) => {
    expect(tTail(t, df)).toBeCloseTo(tail, 13);
  });
  test.each([
    [0.025, 1, 12.706204736174705],
    [0.025, 4.3, 2.7016948982822315],
    [0.05, 30, 1.6972608865939574],
    [0.001, 2, 22.327124770119873],
  ])('exceeds t.isf with probability %d and %d degrees of freedom: %d', (tail, df, t) => {
    expect(tQuantileOfTail(tail, df)).toBeCloseTo(t, 9);
  });
});
