import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/decide/exit-code.js';

describe('exitCodeOf', () => {
  const totals = { cells: 2, passed: 2, failed: 0, errored: 0, cancelled: 0, cached: 0 };
  test.each([
    ['0 when all cells passed', 'completed', {}, 0],
    ['1 when a cell failed', 'completed', { passed: 1, failed: 1 }, 1],
    ['3 when a cell ended with an error', 'completed', { passed: 1, errored: 1 }, 3],
    ['1 when one failed and one ended with an error', 'completed', { passed: 0, failed: 1, errored: 1 }, 1],
    ['3 when a single cell was cancelled', 'completed', { passed: 1, cancelled: 1 }, 3],
    ['1 when a single cell was cancelled and one failed', 'completed', { passed: 0, failed: 1, cancelled: 1 }, 1],
    ['130 when the sweep was paused', 'paused', { passed: 0 }, 130],
    ['130 when the sweep was cancelled after a failure', 'cancelled', { passed: 0, failed: 1, cancelled: 1 }, 130],
    ['0 when a detached sweep has just started', 'running', { passed: 0 }, 0],
    ['3 when a complete sweep lacks a result', 'completed', { passed: 1 }, 3],
    ['0 when nothing was selected', 'completed', { cells: 0, passed: 0 }, 0],
  ] as const)('%s', (_, status, change, code) => {
    expect(exitCodeOf({ status, totals: { ...totals, ...change } })).toBe(code);
  });

  test.each([
    ['better', 0],
    ['not worse', 0],
    ['equivalent', 0],
    ['not shown', 0],
    ['worse', 1],
    ['not tested', 3],
    ['undecided', 4],
  ] as const)('is that of the verdict, by itself or in place of the outcomes: %s', (verdict, code) => {
    expect(exitCodeOf(verdict)).toBe(code);
    const failed = { status: 'completed', totals: { ...totals, passed: 1, failed: 1 } } as const;
    expect(exitCodeOf({ ...failed, decision: { verdict } })).toBe(code);
    expect(exitCodeOf({ ...failed, status: 'cancelled', decision: { verdict } })).toBe(130);
    expect(exitCodeOf({ ...failed, status: 'lost', decision: { verdict } })).toBe(3);
  });
});
