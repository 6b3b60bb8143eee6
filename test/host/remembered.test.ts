import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemory, remembered } from '../../src/host/remembered.js';

const places = remembered(() => new Map<string, number>());
const others = remembered(() => new Map<string, number>());

test('an owner remembers through everything that its work calls or starts, and has each value of its own', async () => {
  const memory = createMemory();
  const seen = await memory.during(async () => {
    places().set('a', 1);
    await setTimeout(1);
    const later = new Promise<number | undefined>((resolve) => {
      setImmediate(() => resolve(places().get('a')));
    });
    return [places().get('a'), await later, others().get('a')];
  });
  expect(seen).toEqual([1, 1, undefined]);
  expect(memory.during(() => places().get('a'))).toBe(1);
});

test('owners that work at the same time do not see what the others remember', async () => {
  const work = (value: number): Promise<number[]> =>
    createMemory().during(async () => {
      places().set(String(value), value);
      await setTimeout(1);
      return [...places().values()];
    });
  expect(await Promise.all([work(1), work(2)])).toEqual([[1], [2]]);
});

test('without an owner, nothing is remembered', () => {
  places().set('a', 1);
  expect(places().size).toBe(0);
});

test('what could not be made is made again', () => {
  let tries = 0;
  const value = remembered(() => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  createMemory().during(() => {
    expect(value).toThrow('not yet');
    expect([value(), value()]).toEqual([2, 2]);
  });
});
