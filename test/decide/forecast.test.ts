import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedOf, forecast, type ForecastConfiguration } from '../../src/decide/forecast.js';
import { renderForecast } from '../../src/reports/comparison/forecast.js';
import { resultWithoutRun, type ResultLine } from '../../src/model/records/result-line.js';

const NAMED = { scenario: 's', agent: 'codex', model: 'm', variants: ['default'] };
const expected = (more: Partial<ForecastConfiguration> = {}): ForecastConfiguration => ({
  ...NAMED,
  earlier: { passed: 17, tested: 20 },
  pass_rate: 0.85,
  run_usd: 0.5,
  run_secs: 60,
  ...more,
});
const OPTIONS = {
  effect: 0.2,
  power: 0.8,
  alpha: 0.05,
  concurrency: 4,
  maxUsd: null,
  maxRuns: 20,
  sides: 2,
} as const;

const line = (nth: number, more: Partial<ResultLine>): ResultLine => ({
  ...resultWithoutRun(
    { id: `s/codex/m/default/${nth}`, ...NAMED, variant: 'default', repetition: nth },
    { sweep: 'a', scenario_hash: '', timestamp: '2026-01-01T00:00:00Z', outcome: 'pass', message: '' },
  ),
  cost_usd: 1,
  duration_secs: 10,
  ...more,
});

describe('expectedOf', () => {
  test('learns from runs that passed or failed, each once', () => {
    const lines = [
      line(1, {}),
      line(2, { outcome: 'fail', cost_usd: 3, duration_secs: 30 }),
      line(3, { outcome: 'error', cost_usd: 99 }),
      line(4, { cached_from: 'other', cost_usd: 99 }),
      line(5, { scenario_id: 'other', cost_usd: 99 }),
      line(6, { variant: 'other', cost_usd: 99 }),
      line(7, { unchecked: true, cost_usd: 99 }),
    ];
    expect(expectedOf(NAMED, lines, {})).toEqual({
      ...NAMED,
      earlier: { passed: 1, tested: 2 },
      pass_rate: 0.5,
      run_usd: 2,
      run_secs: 20,
    });
  });

  test('the last 50 runs count', () => {
    const lines = Array.from({ length: 60 }, (_, at) => line(at, { outcome: at < 10 ? 'fail' : 'pass' }));
    expect(expectedOf(NAMED, lines, {}).earlier).toEqual({ passed: 50, tested: 50 });
  });

  test('what the user expects replaces it, and unknown stays unknown', () => {
    expect(expectedOf(NAMED, [], {})).toMatchObject({ pass_rate: 0.5, run_usd: null, run_secs: null });
    expect(expectedOf(NAMED, [line(1, {})], { passRate: 0.8, usd: 0.2, secs: 5 })).toMatchObject({
      pass_rate: 0.8,
      run_usd: 0.2,
      run_secs: 5,
    });
  });
});

describe('forecast', () => {
  test('multiplies runs, dollars and time by sides, configurations and runs', () => {
    const { needed, affordable, level } = forecast([expected(), expected({ scenario: 't' })], {
      ...OPTIONS,
      maxUsd: 11,
    });
    // By hand: rates of 18 / 22, moved by 10 points towards 50 %, have a variance of 0.2024; 42.4 runs, 47.3 with the
    // correction.
    expect(needed).toEqual({ runs_each: 48, runs: 192, usd: 96, secs: 2880, smallest: needed.smallest });
    expect(needed.smallest).toBeLessThanOrEqual(0.2);
    expect(level).toBe(0.04);
    expect(affordable).toMatchObject({ max_usd: 11, runs_each: 5, runs: 20, usd: 10, secs: 300 });
  });

  test('a base that has run already costs nothing', () => {
    const [both, one] = ([2, 1] as const).map((sides) => forecast([expected()], { ...OPTIONS, sides }));
    expect(one?.needed.runs_each).toBe(both?.needed.runs_each);
    expect(one?.needed.runs).toBe((both?.needed.runs ?? 0) / 2);
  });

  test('an unknown cost of one configuration makes sums unknown, and nothing is called affordable', () => {
    const { needed, affordable } = forecast([expected(), expected({ run_usd: null })], {
      ...OPTIONS,
      maxUsd: 11,
    });
    expect([needed.usd, affordable]).toEqual([null, null]);
    expect(needed.secs).not.toBeNull();
  });

  test('more runs show smaller changes, and the runs that are needed show the effect', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 8, max: 60 }),
        (rates, points) => {
          const { needed, curve } = forecast(
            rates.map((rate) => expected({ pass_rate: rate / 100 })),
            { ...OPTIONS, effect: points / 100, maxRuns: 3 },
          );
          expect(needed.smallest).toBeLessThanOrEqual(points / 100 + 1e-6);
          const smallest = curve.map((point) => point.smallest ?? Infinity);
          expect(smallest).toEqual([...smallest].sort((a, b) => b - a));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('until clear, sweeps without a change give up, and a change of 20 points in 5 scenarios is mostly found', () => {
    const { until_clear: found } = forecast(
      [0, 1, 2, 3, 4].map((at) => expected({ scenario: `s${at}` })),
      OPTIONS,
    );
    expect(found.changed.found).toBeGreaterThan(0.7);
    expect(found.unchanged.found).toBeLessThan(0.1);
    expect(found.unchanged.runs).toBeLessThan(160);
    expect(found.changed.runs).toBeLessThan(140);
  });
});

test('the text names what is assumed, and that --max-runs is too low for the effect', () => {
  const document = forecast([expected({ earlier: { passed: 0, tested: 0 }, pass_rate: 0.5, run_usd: null })], {
    ...OPTIONS,
    effect: 0.1,
  });
  const text = renderForecast(document, { color: false, width: 200 });
  expect(text).toContain('to show a change of 10 points in 80 of 100 cases: 439 runs of each on each side');
  expect(text).toContain('cost unknown');
  expect(text).toContain('--pass-rate says otherwise');
  expect(text).toContain('with --max-runs 439');
});
