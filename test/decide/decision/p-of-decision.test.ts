import { expect, test } from 'vitest';
import type { CellResult } from '../../../src/decide/decision/paired-cells.js';
import { decide } from '../../../src/decide/decision/decide.js';
import type { UntilClear } from '../../../src/decide/decision/until-clear.js';
import type { Cell } from '../../../src/model/records/cell.js';

const MOST = 20;
const plan: UntilClear = {
  base: { kind: 'variant', variant: 'base' },
  margin: null,
  alpha: 0.05,
  most_runs: MOST,
  round_size: 3,
};
const cells = ['a', 'b', 'c'].flatMap((scenario) =>
  Array.from({ length: MOST }, (_, at) => at + 1).flatMap((repetition) =>
    ['base', 'head'].map((variant): Cell => {
      const id = `${scenario}/${variant}/${repetition}`;
      return { id, scenario, agent: 'mock', model: 'default', variant, repetition };
    }),
  ),
);
const resultsOf = (outcomeOf: (cell: Cell) => CellResult['outcome']) =>
  new Map(
    cells.map((cell): [string, CellResult] => [cell.id, { outcome: outcomeOf(cell), cost_usd: null, errors: 0 }]),
  );
const pOf = (results: ReadonlyMap<string, CellResult>, status: 'open' | 'completed') =>
  decide(cells, plan, results, status).decision;

test('a decision has the p of its sequential test, at most alpha if it shows a difference', () => {
  const worse = pOf(
    resultsOf(({ variant }) => (variant === 'head' ? 'fail' : 'pass')),
    'completed',
  );
  expect(worse.verdict).toBe('worse');
  expect(worse.p).toBeLessThanOrEqual(0.05);
  const same = pOf(
    resultsOf(({ repetition }) => (repetition % 2 === 0 ? 'pass' : 'fail')),
    'completed',
  );
  expect(same.verdict).toBe('undecided');
  expect(same.p).toBe(1);
  expect(pOf(new Map(), 'open').p).toBeNull();
});
