import { expect, test } from 'vitest';
import { cellColumns } from '../../../src/reports/sweep/labels.js';
import { cell } from '../../model/sample.js';

test('the columns that distinguish cells have headings, and are left out where nothing differs', () => {
  const headings = (...cells: Parameters<typeof cellColumns>[0]): string[] =>
    cellColumns(cells).map(({ heading }) => heading);
  expect(headings(cell())).toEqual(['Scenario', 'Agent']);
  expect(headings(cell(), cell({ variant: 'terse' }))).toEqual(['Scenario', 'Variant', 'Agent']);
  expect(headings(cell(), cell({ repetition: 2 }))).toEqual(['Scenario', 'Agent', 'Run']);
});
