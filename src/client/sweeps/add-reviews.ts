import type { SweepDocument } from '../../results/records/sweep-document.js';
import type { ReviewReader } from './judged-runs.js';

/** Adds the human reviews to the cells of a sweep. Cells that share a run share its review. */
export function addReviews(document: SweepDocument, reviewOf: ReviewReader): SweepDocument {
  const cells = document.cells.map((cell) => {
    const human = cell.results_dir === null ? null : reviewOf(cell.results_dir);
    return human === null ? cell : { ...cell, human };
  });
  return { ...document, cells };
}
