import { expect, test } from 'vitest';
import { entryText } from '../../../src/reports/sweep/matrix.js';
import { cell } from '../../model/sample.js';

test('shows a single run as its outcome, without a count', () => {
  for (const outcome of ['pass', 'fail', 'error', 'cancelled'] as const)
    expect(entryText([cell({ outcome })])).toBe(outcome);
  expect(entryText([cell({ outcome: null })])).toBe('waiting');
});
