import { existsSync } from 'node:fs';
import { SweepDocument } from '../../results/sweep-document.js';
import type { SweepSummary } from '../../results/sweep-list.js';
import { summaryFile } from '../../store/results-folder.js';
import { readOwn } from './read-own.js';

/** How a sweep has ended, if it has. @throws UsageError where its summary cannot be read. */
export function sweepStatus(resultsPath: string, sweep: string): SweepSummary['status'] {
  const summary = summaryFile(resultsPath, sweep);
  if (!existsSync(summary)) return 'open';
  return readOwn(summary, Ended).status === 'cancelled' ? 'cancelled' : 'completed';
}

/** Of a summary only how the sweep ended is needed; its cells may be thousands. */
const Ended = SweepDocument.pick({ status: true });
