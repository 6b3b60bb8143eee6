import fc from 'fast-check';
import { expect, test } from 'vitest';
import { remainingSecs } from '../../src/decide/remaining-secs.js';

const runs = (kind: string, ...secs: number[]) => secs.map((each) => ({ kind, secs: each }));

test('runs take as long as finished ones of their kind, in as many slots as are used now', () => {
  const finished = [...runs('a', 10, 10, 10), ...runs('b', 100)];
  expect(remainingSecs({ finished, running: runs('a', 4), waiting: [] })).toBe(6);
  expect(remainingSecs({ finished, running: runs('a', 4, 4), waiting: runs('a', 0, 0, 0) })).toBe(26);
  expect(remainingSecs({ finished, running: runs('a', 4), waiting: runs('b', 0) })).toBe(106);
});

test('a run that takes longer than others is expected to take a part of their time from now on', () => {
  expect(remainingSecs({ finished: runs('a', 40, 40, 40), running: runs('a', 500), waiting: [] })).toBe(10);
});

test('a run that waits for its provider is not expected to begin before', () => {
  const finished = runs('a', 10, 10, 10);
  expect(remainingSecs({ finished, running: [], waiting: runs('a', 600) })).toBe(610);
});

test('there is no estimate before three runs have finished, and one of each kind that is left', () => {
  expect(remainingSecs({ finished: runs('a', 10, 10), running: runs('a', 1), waiting: [] })).toBeNull();
  expect(remainingSecs({ finished: runs('a', 9, 9, 9), running: [], waiting: runs('b', 0) })).toBeNull();
  expect(remainingSecs({ finished: [], running: [], waiting: [] })).toBeNull();
});

test('more waiting cells never take less time, and no estimate is negative', () => {
  const secs = fc.array(fc.nat({ max: 10_000 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1000 }), { minLength: 3, maxLength: 9 }), secs, secs, (done, going, waits) => {
      const finished = runs('a', ...done);
      const running = runs('a', ...going);
      const some = remainingSecs({ finished, running, waiting: runs('a', ...waits) }) ?? -1;
      const more = remainingSecs({ finished, running, waiting: runs('a', ...waits, 0) }) ?? -1;
      expect(some).toBeGreaterThanOrEqual(0);
      expect(more).toBeGreaterThanOrEqual(some);
    }),
  );
});
