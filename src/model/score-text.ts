import type { HumanReview } from './records/human-review.js';
import type { Judgment } from './records/judgment.js';

/** Formats a score with two digits; "n/a" for null. */
export const scoreText = (score: number | null): string => (score === null ? 'n/a' : score.toFixed(2));

/** Formats the score of a human review as it was given: "4/5", "80%". */
export function givenScore({ points, max, problem }: HumanReview): string {
  if (points !== null && max !== null) return max === 100 ? `${points}%` : `${points}/${max}`;
  return problem === null ? 'no score' : 'unreadable';
}

/** Formats a score and its threshold with two digits, or with as many as it takes to show that they differ. */
export function comparedScores(score: number, threshold: number): [score: string, threshold: string] {
  const differ = (digits: number): boolean => score.toFixed(digits) !== threshold.toFixed(digits);
  const digits = score === threshold ? 2 : ([2, 3, 4, 5].find(differ) ?? 6);
  return [score.toFixed(digits), threshold.toFixed(digits)];
}

/** Describes the votes of a judge and their spread; null if there was only one vote. */
export function votesText({ votes, spread }: Pick<Judgment, 'votes' | 'spread'>): string | null {
  if (spread === null) return null;
  const each = votes.map(scoreText).join(', ');
  return `mean of ${votes.length} votes: ${each}; range ${scoreText(spread.range)}, standard deviation ${scoreText(spread.deviation)}`;
}
