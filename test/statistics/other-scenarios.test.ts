import { describe, expect, test } from 'vitest';
import { scoreInterval } from '../../src/statistics/miettinen-nurminen.js';
import { otherScenarios, shorterWith } from '../../src/statistics/other-scenarios.js';
import { strata } from './arbitrary.js';

const alpha = 0.05;
/** Their differences are -.4, -.2, 0, -.3, .1, -.25 and -.35. */
const varied = strata(
  [160, 200, 80, 200],
  [160, 200, 120, 200],
  [100, 200, 100, 200],
  [180, 200, 120, 200],
  [100, 200, 120, 200],
  [150, 200, 100, 200],
  [170, 200, 100, 200],
);

describe('otherScenarios', () => {
  test("has Student's t interval of the differences: t.test of R (references/reference-values.R.txt)", () => {
    const found = otherScenarios(
      varied.map((one) => [one]),
      { alpha },
    );
    expect(found?.scenarios).toBe(7);
    expect(found?.difference).toBeCloseTo(-0.2, 12);
    expect(found?.interval.low).toBeCloseTo(-0.37095059224198, 10);
    expect(found?.interval.high).toBeCloseTo(-0.0290494077580206, 10);
  });
  test('is no shorter than the interval of these scenarios, even if all of them passed', () => {
    const steady = strata(...Array.from({ length: 6 }, (): [number, number, number, number] => [5, 5, 5, 5]));
    const found = otherScenarios(
      steady.map((one) => [one]),
      { alpha },
    );
    expect(found?.interval).toEqual(scoreInterval(steady, 1.959963984540054));
    expect(found?.interval.low).toBeLessThan(-0.05);
  });
  test('counts the configurations of a scenario as one, and none without runs on both sides', () => {
    const [first = [], ...others] = varied.map((one) => [one]);
    const found = otherScenarios([[...first, ...strata([80, 200, 80, 200])], ...others, strata([0, 0, 1, 1])], {
      alpha,
    });
    expect(found?.scenarios).toBe(7);
    expect(found?.difference).toBeCloseTo((-0.2 * 7 + 0.2) / 7, 12);
  });
  test('subtracts from how much scenarios vary what their runs explain', () => {
    const found = otherScenarios(
      varied.map((one) => [one]),
      { alpha },
    );
    // Calculated with Python: the differences vary by 0.0341667, of which runs explain 0.0021070.
    const { variance } = found ?? {};
    expect(variance?.runs).toBeCloseTo(0.002106963388370423, 12);
    expect((variance?.difference ?? 0) + (variance?.runs ?? 0)).toBeCloseTo(0.0341667, 6);
    expect(variance?.scenario).toBeGreaterThan(0);
    // Nearly all of it comes from the choice of scenarios, so more runs of these teach little.
    const shorter = shorterWith(variance ?? { scenario: 0, difference: 0, runs: 1 });
    expect(shorter.runs).toBeLessThan(0.05);
    expect(shorter.scenarios).toBeCloseTo(1 - Math.SQRT1_2, 12);
  });
  test('does not know where differences come from if a configuration has a single run on a side', () => {
    const once = strata(...Array.from({ length: 6 }, (): [number, number, number, number] => [1, 1, 0, 1]));
    expect(
      otherScenarios(
        once.map((one) => [one]),
        { alpha },
      )?.variance,
    ).toBeNull();
  });
  test('is no shorter than an interval that allows for several looks', () => {
    const atLeast = { low: -0.9, high: 0.8 };
    expect(
      otherScenarios(
        varied.map((one) => [one]),
        { alpha, atLeast },
      )?.interval,
    ).toEqual(atLeast);
  });
  test('is unknown for fewer than 6 scenarios', () => {
    expect(
      otherScenarios(
        varied.slice(0, 5).map((one) => [one]),
        { alpha },
      ),
    ).toBeNull();
    expect(otherScenarios([], { alpha })).toBeNull();
  });
});
