/** Weights of the judge, the gates and the interaction. */
interface CompositeWeights {
  judge_weight: number;
  gate_weight: number;
  interaction_weight: number;
}

/** The parts of a composite score. null: missing, which counts as 0 here and nowhere else. */
interface CompositeParts {
  judgeScore: number | null;
  gatesPassed: number;
  gatesTotal: number;
  firstTrySuccessRate: number | null;
}

export type CompositeTier = 'Excellent' | 'Good' | 'Acceptable' | 'Poor';

/** Returns the weighted sum of judge score, share of gates passed and first-try success rate, limited to 0..1. */
export function compositeScore(weights: CompositeWeights, parts: CompositeParts): number {
  const gates = parts.gatesTotal > 0 ? parts.gatesPassed / parts.gatesTotal : 0;
  return clamp01(
    weights.judge_weight * (parts.judgeScore ?? 0) +
      weights.gate_weight * gates +
      weights.interaction_weight * (parts.firstTrySuccessRate ?? 0),
  );
}

/** Returns the tier of a composite score. */
export function compositeTier(score: number): CompositeTier {
  // A sum of weights such as 0.6 + 0.3 is a rounding error short of 0.9; that must not cost a tier.
  const reached = score + 1e-9;
  if (reached >= 0.9) return 'Excellent';
  if (reached >= 0.7) return 'Good';
  return reached >= 0.5 ? 'Acceptable' : 'Poor';
}

const clamp01 = (value: number): number => Math.min(1, Math.max(0, value));
