import fc from 'fast-check';
import { expect, test } from 'vitest';
import { admit } from '../../src/decide/budget.js';

/** 0.5 - 0.4 is 0.09999999999999998. */
const FRACTIONS = { maxUsd: 0.5, spentUsd: 0.4 };

test.each([
  ['there is room', { maxUsd: 1, spentUsd: 0, open: [] }, 0.5, 'start'],
  ['it would just fit', { maxUsd: 1, spentUsd: 0.5, open: [] }, 0.5, 'start'],
  ['it would exceed the budget', { maxUsd: 1, spentUsd: 0.6, open: [] }, 0.5, 'never'],
  ['open runs may use up the room', { maxUsd: 1, spentUsd: 0, open: [0.6] }, 0.5, 'wait'],
  ['its cost is unknown and nothing is open', { maxUsd: 1, spentUsd: 0.9, open: [] }, null, 'start'],
  ['its cost is unknown and a run is open', { maxUsd: 1, spentUsd: 0, open: [0.1] }, null, 'wait'],
  ['its cost is unknown and only free runs are open', { maxUsd: 1, spentUsd: 0, open: [0, 0] }, null, 'start'],
  ['a run of unknown cost is open', { maxUsd: 1, spentUsd: 0, open: [null] }, 0.1, 'wait'],
  ['the budget is used up', { maxUsd: 1, spentUsd: 1, open: [] }, null, 'never'],
  ['it would just fit, but for binary fractions', { ...FRACTIONS, open: [] }, 0.1, 'start'],
  ['so it would beside an open run', { ...FRACTIONS, maxUsd: 0.6, open: [0.1] }, 0.1, 'start'],
  ['it is free and the budget is used up', { maxUsd: 1, spentUsd: 2, open: [null] }, 0, 'start'],
] as const)('decides about a cell when %s', (_, budget, estimate, admission) => {
  expect(admit(budget, estimate)).toBe(admission);
});

test('a sweep of known costs stays within its budget in any order, and starts all cells that fit alone', () => {
  const cents = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(cents, fc.array(cents), fc.integer({ min: 1, max: 5 }), (max, costs, concurrency) => {
      let spentUsd = 0;
      const open: number[] = [];
      const waiting = [...costs];
      while (waiting.length > 0 || open.length > 0) {
        const next = waiting[0];
        const admission =
          next === undefined || open.length >= concurrency ? 'wait' : admit({ maxUsd: max, spentUsd, open }, next);
        if (admission === 'wait') {
          // Nothing may wait for ever: with nothing open there is always a decision.
          expect(open.length).toBeGreaterThan(0);
          spentUsd += open.shift() ?? 0;
        } else {
          waiting.shift();
          if (admission === 'start') open.push(next ?? 0);
        }
        expect(spentUsd).toBeLessThanOrEqual(max);
      }
    }),
  );
});
