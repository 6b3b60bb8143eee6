import { defined } from '#lib';
import { capabilitiesIn } from '../capabilities.js';
import { rewardOf } from '../reward.js';
import type { Judgment } from './judgment.js';
import type { GateDetail, Metrics, ResultLine } from './result-line.js';

/**
 * The part of a result that lists, sweeps and their reports need: thousands of these fit into memory and are read at
 * once. A whole result is a digest too.
 */
export interface ResultDigest extends Omit<ResultLine, 'metrics'> {
  metrics: MetricsDigest | null;
}

interface MetricsDigest extends Pick<Metrics, 'agent_work' | 'composite_score'> {
  judge: Pick<Judgment, 'model' | 'scores' | 'weighted_score' | 'pass_threshold'> | null;
  /** In a digest that `digestOf` has made, only those that did not pass or that a model judged. */
  details: GateDetail[];
  /** Absent: it has none, or this is a whole result. */
  reward?: number;
}

/** Leaves out of a result what only the page of its run shows. */
export const digestOf = ({ metrics, ...line }: ResultLine): ResultDigest => ({
  ...line,
  metrics: metrics === null ? null : metricsDigest(metrics),
});

function metricsDigest(metrics: Metrics): MetricsDigest {
  const { agent_work: work, composite_score: score, judge, details } = metrics;
  const reward = rewardOf(metrics);
  return {
    agent_work: work,
    ...defined({ composite_score: score, reward }),
    judge:
      judge === null
        ? null
        : {
            model: judge.model,
            scores: judge.scores,
            weighted_score: judge.weighted_score,
            pass_threshold: judge.pass_threshold,
          },
    details: details.flatMap((gate) => {
      const capabilities = capabilitiesIn([gate]).length > 0;
      return gate.status === 'pass' && gate.judged_by === undefined && !capabilities
        ? []
        : [{ ...gate, detail: capabilities ? gate.detail : null }];
    }),
  };
}
