import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StepRecord } from '../../../src/model/records/run-record.js';
import { stepSpans } from '../../../src/viewer/pages/step-spans.js';

const step = (duration_ms: number | null, endedMs?: number): StepRecord => ({
  name: 'gate 1',
  status: 'done',
  duration_ms,
  attempts: 1,
  note: null,
  ...(endedMs === undefined ? {} : { ended_at: new Date(endedMs).toISOString() }),
});

test('a wait between two steps is a gap, and a step that was not performed has no length', () => {
  expect(stepSpans({ steps: [step(1000, 10_000), step(null), step(4000, 19_000)] })).toEqual({
    totalMs: 10_000,
    spans: [
      { from: 0, length: 0.1 },
      { from: 0, length: 0 },
      { from: 0.6, length: 0.4 },
    ],
  });
});

test('every step lies on the line', () => {
  const time = fc.integer({ min: 0, max: 1e9 });
  const steps = fc.array(fc.tuple(fc.option(time), time).map(([ms, ended]) => step(ms, 2e12 + ended)));
  fc.assert(
    fc.property(steps, (steps) => {
      for (const { from, length } of stepSpans({ steps }).spans) {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(from + length).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});
