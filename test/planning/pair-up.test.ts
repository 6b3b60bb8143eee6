import { expect, test } from 'vitest';
import { pairUp, type ToDecide } from '../../src/planning/pair-up.js';
import type { Cell } from '../../src/model/records/cell.js';

const cellsOf = (scenario: string, variants: string[], most: number): Cell[] =>
  variants.flatMap((variant) =>
    Array.from({ length: most }, (_, index) => ({
      id: `${scenario}/mock/default/${variant}/${index + 1}`,
      scenario,
      agent: 'mock',
      model: 'default',
      variant,
      repetition: index + 1,
    })),
  );

const versus = (variant: string, maxRuns = 10): ToDecide => ({
  base: { kind: 'variant', variant },
  margin: null,
  effect: null,
  maxRuns,
});

test('orders cells so that both sides run at the same time, and take turns in being first', () => {
  const all = [...cellsOf('a', ['bare', 'guided'], 10), ...cellsOf('b', ['bare', 'guided'], 10)];
  const { cells, untilClear } = pairUp(all, versus('bare'), 4);
  expect(cells.slice(0, 8).map(({ scenario, variant, repetition }) => `${scenario} ${variant} ${repetition}`)).toEqual([
    ...['a bare 1', 'a guided 1', 'b bare 1', 'b guided 1'],
    ...['a guided 2', 'a bare 2', 'b guided 2', 'b bare 2'],
  ]);
  expect(cells).toHaveLength(40);
  expect(untilClear).toMatchObject({ most_runs: 10, round_size: 2, alpha: 0.05 });
});

test('a round has enough runs for all slots', () => {
  expect(pairUp(cellsOf('a', ['bare', 'guided'], 10), versus('bare'), 8).untilClear.round_size).toBe(4);
});

test('a finished base limits the runs to those that it has', () => {
  const outcomes = [
    {
      scenario: 'a',
      agent: 'mock',
      model: 'default',
      variant: 'default',
      runs: Array.from({ length: 8 }, () => ({ outcome: 'pass' as const, after_errors: false })),
    },
  ];
  const base = { kind: 'sweep', sweep: 'before', outcomes } as const;
  const { cells } = pairUp(cellsOf('a', ['default'], 20), { base, margin: null, effect: null, maxRuns: 20 }, 4);
  expect(cells).toHaveLength(8);
  const other = [...cellsOf('a', ['default'], 20), ...cellsOf('b', ['default'], 20)];
  expect(() => pairUp(other, { base, margin: null, effect: null, maxRuns: 20 }, 4)).toThrow(
    'b mock/default has no results in before',
  );
});

test('a scenario with only one of the sides is refused', () => {
  const all = [...cellsOf('a', ['bare', 'guided'], 10), ...cellsOf('b', ['guided'], 10)];
  expect(() => pairUp(all, versus('bare'), 4)).toThrow('b guided mock/default has no counterpart');
});
