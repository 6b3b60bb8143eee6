import type { ResultLine } from '../../results/records/result-line.js';
import type { SweepProgress } from '../../workflows/protocol.js';

/**
 * Whether this result of the cell belongs to the run. If so, the run is over, even if the sweep has not noticed it yet. In a
 * sweep of an older build, this is only known for the first round.
 */
export const isOver = (
  { since, workflowId }: SweepProgress['active'][number],
  result: Pick<ResultLine, 'timestamp'> | undefined,
): boolean =>
  result !== undefined &&
  (since === undefined ? workflowId.endsWith('/r1') : Date.parse(result.timestamp) >= since);
