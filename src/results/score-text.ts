import type { Judgment } from './records/judgment.js';

/** A score with two digits. */
export const scoreText = (score: number | null): string => (score === null ? 'n/a' : score.toFixed(2));

/** A score and what it is compared with, with two digits, or as many as it takes to see that they differ. */
export function comparedScores(score: number, threshold: number): [score: string, threshold: string] {
  const differ = (digits: number): boolean => score.toFixed(digits) !== threshold.toFixed(digits);
  const digits = score === threshold ? 2 : ([2, 3, 4, 5].find(differ) ?? 6);
  return [score.toFixed(digits), threshold.toFixed(digits)];
}

/** The votes of a judge and how far they are apart; null where there was one only. */
export function votesText({ votes, spread }: Pick<Judgment, 'votes' | 'spread'>): string | null {
  if (spread === null) return null;
  const each = votes.map(scoreText).join(', ');
  return `mean of ${votes.length} votes: ${each}; range ${scoreText(spread.range)}, standard deviation ${scoreText(spread.deviation)}`;
}
