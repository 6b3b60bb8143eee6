import type { RunRecord } from '#model';

/** Where a step lies on a line of time, in shares of its length. Without a duration, its length is 0. */
export interface StepSpan {
  from: number;
  length: number;
}

/**
 * Places the steps of a run on a line of time, on which waits between them are gaps. `totalMs`: what the line stands
 * for.
 */
export function stepSpans({ steps }: Pick<RunRecord, 'steps'>): { totalMs: number; spans: StepSpan[] } {
  const times = steps.map(({ duration_ms: ms, ended_at: ended }) => {
    if (ms === null || ended === undefined) return null;
    const to = Date.parse(ended);
    return { from: to - ms, to };
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
