import { expect, test } from 'vitest';
import type { ResultDigest } from '../../src/model/records/result-digest.js';
import { scenarioTrends } from '../../src/decide/schedules/night.js';

const line = (sweep: string, day: number, more: Partial<ResultDigest> = {}): ResultDigest =>
  ({
    sweep,
    scenario_id: 'notes',
    variant: 'default',
    agent: 'mock',
    model: 'default',
    repetition: 1,
    cell: 'notes/mock/default/default/1',
    outcome: 'pass',
    cached_from: null,
    timestamp: `2026-01-0${day}T00:00:00Z`,
    cost_usd: 1,
    duration_secs: 10,
    ...more,
  }) as ResultDigest;
const second = { cell: 'notes/mock/default/default/2' };

test('counts the last result of each cell, by sweep in the order of time', () => {
  const [trend, ...others] = scenarioTrends(
    [
      line('later', 2, { outcome: 'fail', cost_usd: null }),
      line('first', 1, { outcome: 'error' }),
      line('first', 1, { duration_secs: 20 }), // retried
      line('first', 1, { ...second, outcome: 'fail', cost_usd: 3 }),
      line('other', 3, { scenario_id: 'another' }),
    ],
    'notes',
  );
  expect(others).toEqual([]);
  expect(trend).toMatchObject({
    agent: 'mock',
    points: [
      { sweep: 'first', passed: 1, tested: 2, cost_usd: 2, duration_secs: 15 },
      { sweep: 'later', passed: 0, tested: 1, cost_usd: null },
    ],
  });
  // Wilson, 1 of 2 at 95 %
  expect(trend?.points[0]?.interval?.low).toBeCloseTo(0.0945, 3);
  expect(trend?.points[0]?.interval?.high).toBeCloseTo(0.9055, 3);
});

test('leaves out runs in which nothing was checked', () => {
  const lines = [line('first', 1, { unchecked: true }), line('first', 1, { ...second, outcome: 'fail' })];
  expect(scenarioTrends(lines, 'notes')[0]?.points).toMatchObject([{ passed: 0, tested: 1 }]);
  expect(scenarioTrends(lines.slice(0, 1), 'notes')[0]?.points).toMatchObject([
    { passed: 0, tested: 0, interval: null },
  ]);
});

test('keeps configurations apart, and leaves out reused results', () => {
  const trends = scenarioTrends(
    [
      line('a', 1),
      line('a', 1, { cell: 'notes/mock/default/guided/1', variant: 'guided', outcome: 'error' }),
      line('b', 2, { cached_from: 'run-1' }),
    ],
    'notes',
  );
  expect(trends.map(({ variant, points }) => [variant, points.map(({ sweep }) => sweep)])).toEqual([
    ['default', ['a']],
    ['guided', ['a']],
  ]);
  expect(trends[1]?.points[0]).toMatchObject({ tested: 0, interval: null, cost_usd: null });
});
