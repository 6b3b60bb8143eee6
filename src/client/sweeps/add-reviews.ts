import type { HumanReview } from '../../results/records/human-review.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import { readReview } from './read-review.js';

/** Adds the human reviews to the cells of a sweep. Cells that share a run share its review. */
export function addReviews(document: SweepDocument, warn: (text: string) => void): SweepDocument {
  const known = new Map<string, HumanReview | null>();
  const reviewOf = (folder: string): HumanReview | null => {
    const review = known.has(folder) ? (known.get(folder) ?? null) : readReview(folder, warn);
    known.set(folder, review);
    return review;
  };
  const cells = document.cells.map((cell) => {
    const human = cell.results_dir === null ? null : reviewOf(cell.results_dir);
    return human === null ? cell : { ...cell, human };
  });
  return { ...document, cells };
}
