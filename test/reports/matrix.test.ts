import { expect, test } from 'vitest';
import { entryText } from '../../src/reports/matrix.js';
import { cell } from '../results/sample.js';

test('the text of a single run is its outcome, without a count', () => {
  for (const outcome of ['pass', 'fail', 'error', 'cancelled'] as const)
    expect(entryText([cell({ outcome })])).toBe(outcome);
  expect(entryText([cell({ outcome: null })])).toBe('waiting');
});
