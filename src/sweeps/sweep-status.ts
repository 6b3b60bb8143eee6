import { existsSync } from 'node:fs';
import { SweepDocument, type SweepSummary } from '#decide';
import { readResultsFile, summaryFile } from '#store';

/** Returns how a sweep ended, or 'open' if it has not. @throws UsageError if its summary cannot be read */
export function sweepStatus(resultsPath: string, sweep: string): SweepSummary['status'] {
  const summary = summaryFile(resultsPath, sweep);
  if (!existsSync(summary)) return 'open';
  return readResultsFile(summary, Ended).status === 'cancelled' ? 'cancelled' : 'completed';
}

/** The only part of a summary that is needed here. There may be thousands of cells. */
const Ended = SweepDocument.pick({ status: true });
