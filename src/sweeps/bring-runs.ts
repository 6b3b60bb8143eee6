import { isMirror } from '#host';
import { bringRuns, resultsIndex } from '#store';

/** The most runs whose folders are brought only to show a sweep: that must not take long. */
export const FEW_RUNS = 100;

/**
 * Brings the folders of a sweep's runs from other hosts into the mirror, if there are at most `most`. Does nothing for
 * results that are not shared.
 */
export async function bringSweepRuns(resultsPath: string, sweep: string, most = Infinity): Promise<void> {
  if (!isMirror(resultsPath)) return;
  const { results } = resultsIndex(resultsPath).digests();
  const runs = new Set(
    results.flatMap((line) => (line.sweep === sweep && line.results_dir !== null ? [line.results_dir] : [])),
  );
  if (runs.size <= most) await bringRuns(resultsPath, runs);
}
