import type { RunRecord } from '../../results/records/run-record.js';

/** Where a step lies on a line of time, in shares of its length. Without a duration, its length is 0. */
export interface StepSpan {
  from: number;
  length: number;
}

/**
 * Places the steps of a run on a line of time, on which waits between them are gaps. In records of older builds, whose steps
 * have no times, they follow each other. `totalMs`: what the whole line stands for.
 */
export function stepSpans({ steps }: Pick<RunRecord, 'steps'>): { totalMs: number; spans: StepSpan[] } {
  const known = steps.every(({ duration_ms, ended_at }) => duration_ms === null || ended_at !== undefined);
  let reached = 0;
  const times = steps.map(({ duration_ms: ms, ended_at: ended }) => {
    if (ms === null) return null;
    const from = known && ended !== undefined ? Date.parse(ended) - ms : reached;
    reached = from + ms;
    return { from, to: reached };
  });
  const performed = times.flatMap((time) => time ?? []);
  const begin = Math.min(...performed.map(({ from }) => from));
  const totalMs = Math.max(1, ...performed.map(({ to }) => to - begin));
  return {
    totalMs,
    spans: times.map((time) =>
      time === null
        ? { from: 0, length: 0 }
        : { from: (time.from - begin) / totalMs, length: (time.to - time.from) / totalMs },
    ),
  };
}
