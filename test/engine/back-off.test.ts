import { expect, test } from 'vitest';
import { createBackOff } from '../../src/engine/back-off.js';

test('waits longer after each failure in a row, up to 15 s, and never gives up', () => {
  let now = 1_000_000;
  const backOff = createBackOff(15_000, () => now);
  const waits: number[] = [];
  for (let times = 1; times <= 12; times++) {
    backOff.fail();
    const from = now;
    while (!backOff.isDue()) now += 100;
    waits.push(now - from);
  }
  expect(waits.slice(0, 4)).toEqual([200, 400, 800, 1600]);
  expect(waits.slice(-3)).toEqual([15_000, 15_000, 15_000]);
  expect(backOff.failing()).toEqual({ times: 12, since: 1_000_000 });
  backOff.succeed();
  expect(backOff.failing()).toBeNull();
  expect(backOff.isDue()).toBe(true);
});
