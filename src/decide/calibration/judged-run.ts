import type { HumanReview, Judgment } from '#model';

/** A run that a judge has scored, and what a person wrote about it. */
export interface JudgedRun {
  scenario: string;
  judgment: Pick<Judgment, 'model' | 'scores' | 'weighted_score' | 'pass_threshold'>;
  human: HumanReview | null;
}

/**
 * Says which runs have the same judge: the same model asked for the same criteria. Scores by other criteria tell nothing about
 * it.
 */
export const judgeKey = ({ judgment: { model, scores } }: JudgedRun): string =>
  JSON.stringify([model, Object.keys(scores).sort()]);
