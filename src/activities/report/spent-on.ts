import { dollars } from '../../lib/format/dollars.js';
import type { Plan } from '../../scenario/plan.js';
import type { ResultsIndex } from '../../store/results-index.js';

/** Known cost of all runs of a sweep so far, US dollars. */
export const spentOn = ({ sweep, cells }: Plan, index: ResultsIndex): number =>
  dollars(cells.reduce((sum, { id }) => sum + index.spent(sweep, id), 0));
