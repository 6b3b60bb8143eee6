import { type PlannedSweep, summarizeSweeps, type SweepSummary, toSummarize } from '#decide';
import { displayPath } from '#host';
import { defined, UsageError } from '#lib';
import { Plan } from '#scenario';
import { planFile, readResultsFile, resultsIndex } from '#store';
import { newestSweeps, sweepStatus } from './find-sweep.js';

/**
 * Reads the newest sweeps of a results folder, of one owner or of all, at most `limit`, and says how many older ones
 * there are. Warns about sweeps whose files are broken, and leaves them out.
 */
export function readSweepList(
  resultsPath: string,
  limit: number,
  warn: (text: string) => void,
  owner: string | null = null,
): { sweeps: SweepSummary[]; more: number } {
  const all = newestSweeps(resultsPath);
  const known = owner === null ? all : all.filter((id) => readSweep(resultsPath, id, () => undefined)?.owner === owner);
  const wanted = known.slice(0, limit);
  const shown = new Set(wanted);
  const { results } = resultsIndex(resultsPath).pick((line) => (shown.has(line.sweep) ? toSummarize(line) : undefined));
  const sweeps = summarizeSweeps(
    wanted.flatMap((id) => readSweep(resultsPath, id, warn) ?? []),
    results,
  );
  return { sweeps, more: known.length - wanted.length };
}

/** Warns and returns null if the files of a sweep are broken. */
function readSweep(results: string, id: string, warn: (text: string) => void): PlannedSweep | null {
  try {
    const plan = readResultsFile(planFile(results, id), Plan);
    return {
      id,
      ...defined({ owner: plan.owner }),
      started: plan.created_at,
      status: sweepStatus(results, id),
      cells: plan.cells,
      needsAll: plan.until_clear === undefined,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    warn(`warning: ${displayPath(results)}: ${error.message}; skipped this sweep`);
    return null;
  }
}
