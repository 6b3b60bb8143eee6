import { describe, expect, test } from 'vitest';
import { cellLabel, cellLabeler, DEFAULT_VARIANT } from '../../../src/model/records/cell-label.js';
import type { Cell } from '../../../src/model/records/cell.js';

const cell = (change: Partial<Cell> = {}): Omit<Cell, 'id'> => ({
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: DEFAULT_VARIANT,
  repetition: 1,
  ...change,
});

describe('the label of a cell', () => {
  test('names the variant only if the scenario defines variants', () => {
    expect(cellLabel(cell())).toBe('notes mock/default');
    expect(cellLabel(cell({ variant: 'with-guide' }))).toBe('notes with-guide mock/default');
  });

  test('has the repetition from the second on, if nothing is known of the others', () => {
    expect(cellLabel(cell({ repetition: 1 }))).toBe('notes mock/default');
    expect(cellLabel(cell({ repetition: 2 }))).toBe('notes mock/default #2');
  });

  test('has the repetition in all cells of a sweep that repeats some, and in none of another sweep', () => {
    const other = cell({ scenario: 'other' });
    expect([cell(), other].map(cellLabeler([cell(), other]))).toEqual(['notes mock/default', 'other mock/default']);
    const repeated = [cell(), cell({ repetition: 2 }), other];
    expect(repeated.map(cellLabeler(repeated))).toEqual([
      'notes mock/default #1',
      'notes mock/default #2',
      'other mock/default #1',
    ]);
  });
});
