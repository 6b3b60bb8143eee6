import { groupBy, mean, ownValue } from '#lib';
import { meanBias, predictionPoweredMean, type ScorePair, weightedKappa } from '#statistics';
import { agreementVerdict } from './agreement-verdict.js';
import type { Agreement, Calibration, CalibrationVerdict } from './document.js';
import { judgeKey, type JudgedRun } from './judged-run.js';

const LEVEL = { alpha: 0.05 };
/**
 * Compares the scores of each judge of a sweep with those of people. `earlier`: runs of other sweeps, whose scores tell how far the same judge
 * agrees with people. Only runs of the sweep itself correct its mean score, because other sweeps may have had other results.
 */
export const calibrate = (own: readonly JudgedRun[], earlier: readonly JudgedRun[]): Calibration[] =>
  groupBy(own, judgeKey).flatMap((runs) => {
    const [first] = runs;
    if (first === undefined) return [];
    const others = earlier.filter((run) => judgeKey(run) === judgeKey(first));
    const overall = agreementOf(runs, others, OVERALL);
    const criteria = Object.keys(first.judgment.scores).map((criterion) => ({
      criterion,
      ...agreementOf(runs, others, ofCriterion(criterion)),
    }));
    const reviewed = [...runs, ...others].flatMap((run) => {
      const pair = pairOf(run, OVERALL);
      return pair === null ? [] : [{ ...pair, threshold: run.judgment.pass_threshold }];
    });
    return [
      {
        judge: first.judgment.model,
        scenarios: [...new Set(runs.map(({ scenario }) => scenario))],
        judged: runs.length,
        verdict: verdictOf(overall, criteria),
        passed_alone: reviewed.filter(
          ({ human, judge, threshold }) => judge >= threshold && human < threshold,
        ).length,
        failed_alone: reviewed.filter(
          ({ human, judge, threshold }) => judge < threshold && human >= threshold,
        ).length,
        ...{ overall, criteria },
      },
    ];
  });

/** Reads one kind of score. */
interface Kind {
  judge: (run: JudgedRun) => number | undefined;
  human: (run: JudgedRun) => number | null | undefined;
}

const OVERALL: Kind = {
  judge: ({ judgment }) => judgment.weighted_score,
  human: ({ human }) => human?.score,
};
const ofCriterion = (criterion: string): Kind => ({
  judge: ({ judgment }) => ownValue(judgment.scores, criterion),
  human: ({ human }) => ownValue(human?.criteria ?? {}, criterion),
});

function pairOf(run: JudgedRun, { judge, human }: Kind): ScorePair | null {
  const [ofJudge, ofHuman] = [judge(run), human(run) ?? undefined];
  return ofJudge === undefined || ofHuman === undefined ? null : { judge: ofJudge, human: ofHuman };
}

function agreementOf(own: readonly JudgedRun[], others: readonly JudgedRun[], kind: Kind): Agreement {
  const labelled = own.flatMap((run) => pairOf(run, kind) ?? []);
  const pairs = [...labelled, ...others.flatMap((run) => pairOf(run, kind) ?? [])];
  const judged = own.flatMap((run) => (pairOf(run, kind) === null ? (kind.judge(run) ?? []) : []));
  const agreement = weightedKappa(pairs, LEVEL);
  const bias = meanBias(pairs, LEVEL);
  const corrected = predictionPoweredMean({ labelled, judged }, LEVEL);
  return {
    reviewed: pairs.length,
    kappa: agreement?.kappa ?? null,
    interval: agreement?.interval ?? null,
    difference: bias?.estimate ?? null,
    difference_interval: bias?.interval ?? null,
    verdict: agreementVerdict(pairs, agreement),
    judge_mean: mean(own.flatMap((run) => kind.judge(run) ?? [])),
    corrected: corrected === null ? null : { ...corrected, reviewed: labelled.length },
  };
}

/** From the worst on. */
const ORDER: readonly CalibrationVerdict[] = ['low agreement', 'unclear', 'agrees'];

const verdictOf = (overall: Agreement, criteria: readonly Agreement[]): CalibrationVerdict =>
  overall.reviewed > 0
    ? overall.verdict
    : (ORDER.find((verdict) => criteria.some((criterion) => criterion.verdict === verdict)) ??
      'not calibrated');
