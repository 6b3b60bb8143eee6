import { expect, test } from 'vitest';
import { mixedBuilds, type BuildUsed } from '../../src/decide/mixed-builds.js';

const used = (scenario: string, fingerprint: string | null, variant = 'default'): BuildUsed => ({
  cell: { scenario, variant },
  fingerprint,
});

test('warns about runs of one scenario that used different builds, with the number of runs for each', () => {
  expect(mixedBuilds([used('a', 'x'), used('a', 'x'), used('a', 'y'), used('b', 'x')])).toEqual([
    'a: its runs used 2 different builds of the target (2, 1 runs): it was changed while the sweep ran, or before a retry',
  ]);
});

test('accepts different builds of variants and scenarios, and ignores unknown builds', () => {
  expect(
    mixedBuilds([used('a', 'x', 'old'), used('a', 'y', 'new'), used('b', 'z'), used('b', null), used('c', null)]),
  ).toEqual([]);
});
