import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedOf, forecast, type ForecastConfiguration } from '../../src/decide/forecast.js';
import { renderForecast } from '../../src/reports/comparison/forecast.js';
import type { ResultDigest } from '../../src/model/records/result-digest.js';
import { resultWithoutRun, type ResultLine } from '../../src/model/records/result-line.js';
import { randomFrom } from '../../src/lib/index.js';
import { meanChange } from '../../src/statistics/mean-change.js';

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
  // Sweeps of more rounds take longer to simulate.
  maxRuns: 3,
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
            { ...OPTIONS, effect: points / 100 },
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
      { ...OPTIONS, maxRuns: 20 },
    );
    expect(found.changed.found).toBeGreaterThan(0.7);
    expect(found.unchanged.found).toBeLessThan(0.1);
    expect(found.unchanged.runs).toBeLessThan(160);
    expect(found.changed.runs).toBeLessThan(140);
  });
});

describe('forecast of mean rewards', () => {
  /** Most tasks are done by half, some wholly and some not at all. */
  const REWARDS = [0, 0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75, 1, 1];
  const withRewards = (earlier: number[], more: Partial<ForecastConfiguration> = {}) =>
    expected({ reward: { mean: 0.5, earlier }, ...more });
  const forecastOf = (configurations: ForecastConfiguration[], more = {}) =>
    forecast(configurations, { ...OPTIONS, measure: 'reward', ...more });

  test('learns from earlier rewards from 0 to 1, and an assumed pass rate replaces them', () => {
    const rewarded = (nth: number, reward: number): ResultDigest => ({
      ...line(nth, {}),
      metrics: { agent_work: null, judge: null, details: [], reward },
    });
    const lines = [rewarded(1, 0.25), rewarded(2, 0.75), rewarded(3, 7), line(4, {})];
    const measure = 'reward' as const;
    expect(expectedOf(NAMED, lines, { measure }).reward).toEqual({ mean: 0.5, earlier: [0.25, 0.75] });
    expect(expectedOf(NAMED, lines, { measure, passRate: 0.8 }).reward).toEqual({ mean: 0.8, earlier: [] });
    expect(expectedOf(NAMED, lines, {})).not.toHaveProperty('reward');
  });

  test('rewards that vary little need fewer runs, and those of 0 or 1 the most', () => {
    const runsOf = (one: ForecastConfiguration) => forecastOf([one]).needed.runs_each;
    const [steady, mixed, most] = [
      Array.from({ length: 20 }, (_, at) => 0.4 + 0.01 * at),
      [...REWARDS, ...REWARDS],
      [],
    ].map((rewards) => runsOf(withRewards(rewards)));
    // By hand, with 0 and 1 added: variances of 0.026 + 0.076, 0.125 + 0.135 and 0.25 + 0.21 of both sides; 20.1, 51.0
    // and 90.3 runs, 1.0 more each because variances are estimated.
    expect([steady, mixed, most]).toEqual([22, 52, 92]);
  });

  test.each([1, 4])('`compare` finds the effect as often as asked for, %i scenarios', (scenarios) => {
    const earlier = Array.from({ length: 4 }, () => REWARDS).flat();
    const configurations = Array.from({ length: scenarios }, (_, at) => withRewards(earlier, { scenario: `s${at}` }));
    const { needed } = forecastOf(configurations);
    const random = randomFrom('power');
    const draw = (lost: number) =>
      Array.from({ length: needed.runs_each }, () =>
        random() < lost ? 0 : (earlier[Math.floor(random() * earlier.length)] ?? 0),
      );
    const found = Array.from({ length: 100 }, () => {
      const groups = configurations.map(() => ({ base: draw(0), head: draw(0.4) }));
      return (meanChange(groups, { kind: 'difference', alpha: 0.05 })?.p ?? 1) <= 0.05;
    });
    const power = found.filter(Boolean).length / found.length;
    // A standard error of 0.04. 0 and 1, which are added, make it a little higher.
    expect(power).toBeGreaterThan(0.7);
    expect(power).toBeLessThan(0.94);
  });

  test('until clear, a change is mostly found, and sweeps without one give up', () => {
    const configurations = Array.from({ length: 5 }, (_, at) => withRewards(REWARDS, { scenario: `s${at}` }));
    const { until_clear: found } = forecastOf(configurations, { maxRuns: 20 });
    expect(found.changed.found).toBeGreaterThan(0.6);
    expect(found.unchanged.found).toBeLessThan(0.1);
    expect(found.unchanged.runs).toBeLessThan(190);
    expect(found.changed.runs).toBeLessThan(found.unchanged.runs + 40);
  });

  test('too few runs show nothing', () => {
    expect(
      forecastOf([withRewards(REWARDS)])
        .curve.slice(0, 3)
        .map(({ smallest }) => smallest),
    ).toEqual([null, null, expect.any(Number)]);
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
