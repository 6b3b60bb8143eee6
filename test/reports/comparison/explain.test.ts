import { expect, test } from 'vitest';
import { compareSweeps } from '../../../src/decide/comparison/compare-sweeps.js';
import { explanationRows } from '../../../src/reports/comparison/explain.js';
import { type Outcomes, sweepOf } from '../../decide/comparison/sample.js';

test('explains that p is adjusted as soon as there are two configurations', () => {
  const meaningOf = (base: Outcomes, head: Outcomes): string | undefined =>
    explanationRows(compareSweeps(sweepOf('old', base), sweepOf('new', head), new Map())).find(
      ([name]) => name === 'p of a configuration',
    )?.[2];
  expect(meaningOf({ a: 'pppppp' }, { a: 'pfffff' })).toBe(undefined);
  expect(meaningOf({ a: 'pppppp', b: 'pppppp' }, { a: 'pfffff', b: 'pppppp' })).toMatch(
    /^adjusted for 2 configurations, /,
  );
});
