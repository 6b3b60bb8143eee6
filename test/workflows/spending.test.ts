import { expect, test } from 'vitest';
import { trackSpending } from '../../src/workflows/legacy/spending.js';
import type { PageCell } from '../../src/workflows/protocol.js';
import { cell } from './stub-activities.js';

const page = (repetition: number, estimateUsd: number | null = null): PageCell => ({
  cell: cell(repetition),
  finished: null,
  estimateUsd,
});

test('a partly known cost counts as spent, but is not expected of the next run', () => {
  const spending = trackSpending(10);
  spending.start(page(1));
  spending.end(cell(1), null, 6);
  expect(spending.read()?.carried).toMatchObject({ spentUsd: 6, costs: {} });
  expect(spending.admission(page(2))).toBe('start');
  spending.start(page(2));
  spending.end(cell(2), null, 4);
  expect(spending.admission(page(3))).toBe('never');
});

test('a fully known cost counts as spent, and is expected of the next run', () => {
  const spending = trackSpending(10);
  spending.start(page(1));
  spending.end(cell(1), 6);
  expect(spending.admission(page(2))).toBe('never');
});
