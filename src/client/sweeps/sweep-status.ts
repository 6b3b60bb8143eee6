import { existsSync } from 'node:fs';
import { SweepDocument } from '../../results/records/sweep-document.js';
import type { SweepSummary } from '../../results/records/sweep-list.js';
import { summaryFile } from '../../store/results-folder.js';
import { readResultsFile } from './read-results-file.js';

/** How a sweep has ended, if it has. @throws UsageError where its summary cannot be read. */
export function sweepStatus(resultsPath: string, sweep: string): SweepSummary['status'] {
  const summary = summaryFile(resultsPath, sweep);
  if (!existsSync(summary)) return 'open';
  return readResultsFile(summary, Ended).status === 'cancelled' ? 'cancelled' : 'completed';
}

/** Of a summary only how the sweep ended is needed; its cells may be thousands. */
const Ended = SweepDocument.pick({ status: true });
