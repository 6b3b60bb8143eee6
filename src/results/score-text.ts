/** A score and what it is compared with, with two digits, or as many as it takes to see that they differ. */
export function comparedScores(score: number, threshold: number): [score: string, threshold: string] {
  const differ = (digits: number): boolean => score.toFixed(digits) !== threshold.toFixed(digits);
  const digits = score === threshold ? 2 : ([2, 3, 4, 5].find(differ) ?? 6);
  return [score.toFixed(digits), threshold.toFixed(digits)];
}
