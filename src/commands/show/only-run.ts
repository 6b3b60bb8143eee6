import { basename } from 'node:path';
import { UsageError } from '../../lib/errors/usage-error.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';

const MOST_NAMED = 10;

/** Returns the folder of the run of the only selected cell. @throws UsageError if there are several runs, or none */
export function onlyRun({ cells }: SweepDocument): string {
  const folders = [...new Set(cells.flatMap(({ results_dir: folder }) => folder ?? []))];
  const [only] = folders;
  if (only === undefined) throw new UsageError('usage', '--transcript: no selected cell has a run');
  if (folders.length === 1) return only;
  const more = folders.length - MOST_NAMED;
  const named = folders.slice(0, MOST_NAMED).map((folder) => `  ${basename(folder)}`);
  throw new UsageError(
    'usage',
    [
      `--transcript needs a single run; ${folders.length} are selected:`,
      ...named,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}
