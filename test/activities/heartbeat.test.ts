import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import { heartbeating, rhythmFor } from '../../src/activities/step/heartbeat.js';

const MINUTE = 60_000;

test('a step with a timeout of one minute sends a heartbeat every 15 s, one with three minutes every minute', () => {
  expect(rhythmFor(MINUTE)).toEqual({ intervalMs: 15_000, progressMs: 5000 });
  expect(rhythmFor(undefined)).toEqual({ intervalMs: 15_000, progressMs: 5000 });
  expect(rhythmFor(4000)).toEqual({ intervalMs: 1000, progressMs: 5000 });
  expect(rhythmFor(3 * MINUTE)).toEqual({ intervalMs: MINUTE, progressMs: Infinity });
});

test.each([
  [MINUTE, 120],
  [3 * MINUTE, 10],
])(
  'with a timeout of %i ms, an agent that always has news causes %i heartbeats in ten minutes',
  async (timeout, count) => {
    vi.useFakeTimers();
    try {
      const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: timeout, isLocal: false });
      const sent: unknown[] = [];
      environment.on('heartbeat', (details: unknown) => sent.push(details));
      const step = environment.run(() =>
        heartbeating(async (_signal, onProgress) => {
          for (let second = 1; second <= 600; second += 1) {
            await new Promise((resolve) => setTimeout(resolve, 1000));
            onProgress({ doing: `second ${second}`, events: second });
          }
        }),
      );
      await vi.advanceTimersByTimeAsync(600_000);
      await step;
      if (timeout === MINUTE) expect(sent.length).toBeGreaterThanOrEqual(count);
      else expect(sent.length).toBeLessThanOrEqual(count);
      expect(sent.at(-1)).toMatchObject({
        agent: { doing: expect.stringMatching(/second 5[0-9]{2}|second 600/) as string },
      });
    } finally {
      vi.useRealTimers();
    }
  },
);
