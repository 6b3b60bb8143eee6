import { groupBy, mean } from '#lib';

/** The times of the cells of a sweep. Cells of the same `kind` are expected to take about the same time. */
interface SweepTimes {
  /** Runs that were really performed, with their durations. */
  finished: readonly { kind: string; secs: number }[];
  /** The runs that hold a slot, and how long each has been going. */
  running: readonly { kind: string; secs: number }[];
  /** Cells that have no slot yet, and for how long they cannot have one. */
  waiting: readonly { kind: string; secs: number }[];
}

/** The fewest finished runs that an estimate can be based on. */
const FEWEST = 3;
/** A run that has already taken longer than others is expected to take this part of their time from now on. */
const LATE = 0.25;

/**
 * Estimates how long a sweep will take from now on, in seconds: runs take as long as the finished ones of their kind
 * did on average, and as many run at once as now. Null if there is no basis: too few runs have finished, or none of a
 * kind that is still to run.
 */
export function remainingSecs({ finished, running, waiting }: SweepTimes): number | null {
  if (finished.length < FEWEST) return null;
  const alike = groupBy(finished, ({ kind }) => kind);
  const usual = new Map(alike.map((runs) => [runs[0]?.kind, mean(runs.map(({ secs }) => secs)) ?? 0]));
  if ([...running, ...waiting].some(({ kind }) => !usual.has(kind))) return null;
  const usualOf = (kind: string): number => usual.get(kind) ?? 0;
  const slots = running.map((run) => Math.max(usualOf(run.kind) - run.secs, LATE * usualOf(run.kind)));
  if (slots.length === 0) slots.push(0);
  for (const { kind, secs: until } of waiting) {
    const first = slots.indexOf(Math.min(...slots));
    slots[first] = Math.max(slots[first] ?? 0, until) + usualOf(kind);
  }
  return Math.max(...slots);
}
