import { dollars } from '#lib';
import type { Plan } from '#scenario';
import type { ResultsIndex } from '#store';

/** Known cost of all runs of a sweep so far, US dollars. */
export const spentOn = ({ sweep, cells }: Plan, index: ResultsIndex): number =>
  dollars(cells.reduce((sum, { id }) => sum + index.spent(sweep, id), 0));
