import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isCurrent,
  limitReported,
  mergeLimits,
  permissionFor,
  UNKNOWN_END_MS,
  type Probe,
} from '../../src/model/provider-limit.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const probeAt = (time: number): Probe => ({ schema_version: 1, at: new Date(time).toISOString(), by: 'x' });

describe('a limit whose end is known', () => {
  const limit = limitReported('a/key', NOW + 60 * MINUTE, NOW);
  test('holds agents back until it ends', () => {
    expect(permissionFor(limit, null, { now: NOW, waitedUntil: null })).toEqual({ until: NOW + 60 * MINUTE });
    expect(permissionFor(limit, null, { now: NOW + 60 * MINUTE, waitedUntil: null })).toBe('start');
  });
  test('holds an agent back only once, even if the clock of this host is behind', () => {
    expect(permissionFor(limit, null, { now: NOW, waitedUntil: NOW + 60 * MINUTE })).toBe('start');
  });
  test('holds an agent back that has waited for an earlier end', () => {
    expect(permissionFor(limit, null, { now: NOW, waitedUntil: NOW })).toEqual({ until: NOW + 60 * MINUTE });
  });
});

describe('a limit whose end is unknown', () => {
  const limit = limitReported('a/key', null, NOW);
  const end = NOW + UNKNOWN_END_MS;
  test('is tried by one agent after a quarter of an hour, for which the others wait two minutes', () => {
    expect(permissionFor(limit, null, { now: NOW + 1, waitedUntil: null })).toEqual({ until: end });
    expect(permissionFor(limit, null, { now: end, waitedUntil: end })).toBe('probe');
    const probe = probeAt(end);
    expect(permissionFor(limit, probe, { now: end + 1, waitedUntil: end })).toEqual({
      until: end + 2 * MINUTE,
    });
    expect(permissionFor(limit, probe, { now: end + 2 * MINUTE, waitedUntil: end })).toBe('start');
  });
  test('is no longer looked at when nobody has waited for it', () => {
    expect(permissionFor(limit, null, { now: end + UNKNOWN_END_MS + 1, waitedUntil: null })).toBe('start');
  });
});

const time = fc.integer({ min: NOW - 30 * 24 * 3600_000, max: NOW + 30 * 24 * 3600_000 });
const at = fc.option(time);

test('an agent that waits as it is told is never held back for ever, whatever the clocks say', () => {
  fc.assert(
    fc.property(at, time, fc.option(time), fc.integer({ min: -3600_000, max: 3600_000 }), (end, noted, tried, skew) => {
      const limit = limitReported('a', end, noted);
      const probe = tried === null ? null : probeAt(tried);
      let waitedUntil: number | null = null;
      let now = NOW;
      for (let waits = 0; waits < 3; waits += 1) {
        const permission = permissionFor(limit, probe, { now: now + skew, waitedUntil });
        if (typeof permission === 'string') return;
        expect(permission.until).toBeGreaterThan(waitedUntil ?? -Infinity);
        waitedUntil = permission.until;
        now = Math.max(now, permission.until);
      }
      throw new Error('held back three times by one limit');
    }),
  );
});

test('whoever is held back waits for a time within eight days', () => {
  fc.assert(
    fc.property(at, time, fc.option(time), (end, noted, tried) => {
      const probe = tried === null ? null : probeAt(tried);
      const permission = permissionFor(limitReported('a', end, noted), probe, {
        now: NOW,
        waitedUntil: null,
      });
      if (typeof permission === 'string') return;
      expect(permission.until).toBeGreaterThan(NOW);
      expect(permission.until).toBeLessThanOrEqual(NOW + 8 * 24 * 3600_000);
    }),
  );
});

test('of two limits, the later one counts, and a known end more than a guess', () => {
  const guess = limitReported('a', null, NOW);
  const soon = limitReported('a', NOW + MINUTE, NOW);
  const later = limitReported('a', NOW + 60 * MINUTE, NOW);
  for (const [one, other] of [
    [soon, later],
    [later, soon],
  ] as const)
    expect(mergeLimits(one, other, NOW)).toBe(later);
  expect(mergeLimits(guess, soon, NOW)).toBe(soon);
  expect(mergeLimits(soon, guess, NOW)).toBe(soon);
  expect(mergeLimits(soon, guess, NOW + 2 * MINUTE)).toBe(guess);
});

test('a merged limit is one of the two, and holds agents back if the new one does', () => {
  fc.assert(
    fc.property(at, at, (first, second) => {
      const [before, next] = [limitReported('a', first, NOW), limitReported('a', second, NOW)];
      const merged = mergeLimits(before, next, NOW);
      expect([before, next]).toContain(merged);
      if (isCurrent(next, NOW)) expect(isCurrent(merged, NOW)).toBe(true);
    }),
  );
});
