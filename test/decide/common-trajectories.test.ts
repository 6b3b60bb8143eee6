import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonTrajectories, CommonTrajectory } from '../../src/decide/by-parameter.js';

const anyRuns = fc.array(
  fc.record({
    actions: fc.option(fc.array(fc.constantFrom('read', 'write', 'a","b'), { maxLength: 3 })),
    duration_secs: fc.option(fc.nat(100)),
  }),
);

describe('common trajectories', () => {
  test('count each run whose sequence is known exactly once', () => {
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const found = commonTrajectories(runs, Infinity);
        const known = runs.filter(({ actions }) => actions !== null).length;
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(known);
        expect(found.reduce((sum, { percentage }) => sum + percentage, 0)).toBeCloseTo(known === 0 ? 0 : 1);
        for (const one of found) expect(CommonTrajectory.parse(one)).toEqual(one);
      }),
    );
  });
  test('are sorted by frequency, and limited to the most frequent ones', () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(4), (runs, most) => {
        const all = commonTrajectories(runs, Infinity);
        expect(all.map(({ count }) => count)).toEqual(all.map(({ count }) => count).sort((a, b) => b - a));
        expect(commonTrajectories(runs, most)).toEqual(all.slice(0, most));
      }),
    );
  });
  test('keep runs without any action apart from runs whose actions are unknown', () => {
    const runs = [
      { actions: [], duration_secs: null },
      { actions: null, duration_secs: 5 },
    ];
    expect(commonTrajectories(runs, 5)).toEqual([
      { sequence: [], count: 1, percentage: 1, average_duration_secs: null },
    ]);
  });
});
