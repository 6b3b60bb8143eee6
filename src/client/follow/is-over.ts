import type { ResultLine } from '#model';
import type { SweepProgress } from '#protocol';

/** True if this result of the cell belongs to the run: then the run is over, even if the sweep has not noticed it yet. */
export const isOver = (
  { since }: Pick<SweepProgress['active'][number], 'since'>,
  result: Pick<ResultLine, 'timestamp'> | undefined,
): boolean => result !== undefined && Date.parse(result.timestamp) >= since;
