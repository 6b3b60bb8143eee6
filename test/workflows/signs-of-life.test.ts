import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beatMs, checkMs, LOST_SECS, lostSecsOf } from '../../src/protocol/signs-of-life.js';
import { updateSigns, lostHosts, type HostSign } from '../../src/workflows/scheduler/signs-of-life.js';

const LOST_MS = LOST_SECS * 1000;
const MAX_MS = checkMs(LOST_SECS);

/** Looks at one host, `elapsed` after the look before. */
const looks = (each: readonly { sign: number | null; elapsed: number }[]): ReadonlyMap<string, HostSign> =>
  each.reduce<ReadonlyMap<string, HostSign>>(
    (seen, { sign, elapsed }) => updateSigns(seen, { h: sign }, elapsed, MAX_MS),
    new Map(),
  );

describe('signs of life', () => {
  it('a host is lost within two minutes after its last sign, at the default', () => {
    // It shows a sign right after a look, and dies.
    let seen = looks([{ sign: 1, elapsed: 0 }]);
    let ms = 0;
    do {
      seen = updateSigns(seen, { h: 2 }, MAX_MS, MAX_MS);
      ms += MAX_MS;
    } while (lostHosts(seen, LOST_MS).length === 0);
    expect(ms).toBeLessThanOrEqual(120_000 - beatMs(LOST_SECS));
  });

  it('a host whose sign changes between looks is never lost', () => {
    const elapsed = fc.integer({ min: 0, max: 10 * LOST_MS });
    fc.assert(
      fc.property(fc.array(elapsed, { maxLength: 50 }), (times) => {
        const seen = looks(times.map((ms, index) => ({ sign: index, elapsed: ms })));
        expect(lostHosts(seen, LOST_MS)).toEqual([]);
      }),
    );
  });

  it('a time in which nobody looked counts as one interval: the server may have been away', () => {
    const seen = looks([
      { sign: 1, elapsed: 0 },
      { sign: 1, elapsed: 3_600_000 },
    ]);
    expect(seen.get('h')).toEqual({ sign: 1, unchangedMs: MAX_MS });
    expect(lostHosts(seen, LOST_MS)).toEqual([]);
  });

  it('a host without any sign is lost after the same time, and one that is not asked for is forgotten', () => {
    const silent = looks(Array.from({ length: 4 }, () => ({ sign: null, elapsed: MAX_MS })));
    expect(lostHosts(silent, LOST_MS)).toEqual(['h']);
    expect(updateSigns(silent, { other: 1 }, MAX_MS, MAX_MS).has('h')).toBe(false);
  });

  it('the time can be set, and anything but a positive number is ignored', () => {
    expect(lostSecsOf({ LLM_TOOL_TEST_LOST_SECS: '6' })).toBe(6);
    for (const value of ['', '0', '-1', 'soon', undefined])
      expect(lostSecsOf({ LLM_TOOL_TEST_LOST_SECS: value })).toBe(LOST_SECS);
  });
});
