import { expect, test } from 'vitest';
import { canDecide } from '../../../src/decide/decision/decide.js';
import type { UntilClear } from '../../../src/decide/decision/until-clear.js';
import type { Cell } from '../../../src/model/records/cell.js';

const configuration = { scenario: 'notes', agent: 'mock', model: 'default' };

const cellsOf = (variant: string, runs: number): Cell[] =>
  Array.from({ length: runs }, (_, at): Cell => ({
    id: `notes/${variant}/${at + 1}`,
    ...configuration,
    variant,
    repetition: at + 1,
  }));

const planOf = (base: UntilClear['base'], runs: number): UntilClear => ({
  base,
  margin: null,
  alpha: 0.05,
  most_runs: runs,
  round_size: 1,
});

/** A base that has ended, all of whose runs have passed, or all have failed. */
const finished = (runs: number, isPass: boolean): UntilClear['base'] => ({
  kind: 'sweep',
  sweep: 'a',
  outcomes: [
    {
      ...configuration,
      variant: 'default',
      runs: Array.from({ length: runs }, () => ({ outcome: isPass ? 'pass' : 'fail', after_errors: false })),
    },
  ],
});

test.each([
  ['two runs on each side are', 2, false],
  ['twelve runs on each side are not', 12, true],
])('%s too few to show any difference between two variants', (_, runs, expected) => {
  const cells = [...cellsOf('base', runs), ...cellsOf('head', runs)];
  expect(canDecide(cells, planOf({ kind: 'variant', variant: 'base' }, runs))).toBe(expected);
});

test.each([
  ['passed is noticed if head fails', true],
  ['failed is noticed if head passes', false],
])('a difference from a finished base whose runs all %s', (_, isPass) => {
  expect(canDecide(cellsOf('default', 12), planOf(finished(12, isPass), 12))).toBe(true);
});
