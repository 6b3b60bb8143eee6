import { type Count, type Interval, wilsonInterval } from '#statistics/pure';

/** Returns the interval of a pass rate with a confidence of 95 %; null if nothing was tested. */
export const rateInterval = (count: Count): Interval | null => wilsonInterval(count, { alpha: 0.05 });
