/** Scores that a person and the judge gave the same run. */
export interface ScorePair {
  human: number;
  judge: number;
}

/**
 * Returns two pairs that disagree by the smallest step of the scale, in opposite directions; none if all scores are
 * the same. Added to a few pairs that all agree, they keep an interval from having no width, like the two successes and
 * failures of A. Agresti and B. A. Coull, The American Statistician 52 (1998) 119-126.
 */
export function smallestDisagreements(pairs: readonly ScorePair[]): ScorePair[] {
  const scores = [...new Set(pairs.flatMap(({ human, judge }) => [human, judge]))].sort((a, b) => a - b);
  const steps = scores.slice(1).map((high, at) => ({ low: scores[at] ?? high, high }));
  const [smallest] = steps.sort((a, b) => a.high - a.low - (b.high - b.low));
  if (smallest === undefined) return [];
  const { low, high } = smallest;
  return [
    { human: low, judge: high },
    { human: high, judge: low },
  ];
}
