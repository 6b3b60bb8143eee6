import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparedWith } from '../../src/gates/bounds.js';

const number = fc.nat({ max: 8 });

it('decides only what holds for every number that is possible', () => {
  fc.assert(
    fc.property(
      number,
      number,
      fc.option(number, { nil: undefined }),
      fc.option(number, { nil: undefined }),
      (known, unknown, min, max) => {
        const all = Array.from({ length: unknown + 1 }, (_, more) => known + more);
        const isBelow = (value: number) => min !== undefined && value < min;
        const isAbove = (value: number) => max !== undefined && value > max;
        const compared = comparedWith({ min, max }, known, unknown);
        if (all.every(isAbove)) expect(compared).toBe('above');
        else if (all.every(isBelow)) expect(compared).toBe('below');
        else if (!all.some(isAbove) && !all.some(isBelow)) expect(compared).toBe('within');
        else expect(compared).toBe('undecided');
      },
    ),
  );
});

it('decides by the bounds where any number may be missing', () => {
  expect(comparedWith({ max: 3 }, 4, Infinity)).toBe('above');
  expect(comparedWith({ max: 3 }, 3, Infinity)).toBe('undecided');
  expect(comparedWith({ min: 3 }, 3, Infinity)).toBe('within');
  expect(comparedWith({ min: 3 }, 2, Infinity)).toBe('undecided');
});
