import { expect, test } from 'vitest';
import { cellNames } from '../../../src/reports/sweep/labels.js';

const cell = (change: object = {}) => ({
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
  ...change,
});

test('names cells by the parts in which they differ', () => {
  const cells = [cell(), cell({ agent: 'ours' }), cell({ repetition: 2 })];
  const { nameOf, about } = cellNames(cells);
  expect(cells.map(nameOf)).toEqual([
    ['mock/default', '#1'],
    ['ours/default', '#1'],
    ['mock/default', '#2'],
  ]);
  expect(about).toBe('notes');
});

test('names variants with their scenario', () => {
  const cells = [cell({ variant: 'a' }), cell({ variant: 'b' })];
  const { nameOf, about } = cellNames(cells);
  expect(cells.map(nameOf)).toEqual([['notes a'], ['notes b']]);
  expect(about).toBe('mock/default');
});

test('names a single cell by scenario and agent', () => {
  expect(cellNames([cell()]).nameOf(cell())).toEqual(['notes', 'mock/default']);
});
