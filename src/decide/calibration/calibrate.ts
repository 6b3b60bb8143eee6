import { groupBy, mean, ownValue } from '#lib';
import { meanBias, predictionPoweredMean, type ScorePair, weightedKappa } from '#statistics';
import type { HumanReview, Judgment } from '#model';
import type { Agreement, Calibration, CalibrationVerdict } from './document.js';

/** With fewer runs, the interval of kappa is not reliable. */
const FEWEST = 10;
/**
 * Below this, agreement is called fair at best: J. R. Landis and G. G. Koch, "The measurement of observer agreement for
 * categorical data", Biometrics 33 (1977) 159-174.
 */
const ENOUGH = 0.4;

/** Says whether a judge is shown to agree with people, by what both gave the same runs. */
export function agreementVerdict(
  pairs: readonly ScorePair[],
  agreement: ReturnType<typeof weightedKappa>,
): CalibrationVerdict {
  if (pairs.length === 0) return 'not calibrated';
  // If people gave every run the same score, kappa is 0 however close the judge's scores are to it.
  const isAlike = new Set(pairs.map(({ human }) => human)).size < 2;
  if (pairs.length < FEWEST || isAlike || agreement === null) return 'unclear';
  if (agreement.kappa < ENOUGH) return 'low agreement';
  return agreement.interval.low < ENOUGH ? 'unclear' : 'agrees';
}

/** A run that a judge has scored, and what a person wrote about it. */
export interface JudgedRun {
  scenario: string;
  judgment: Pick<Judgment, 'model' | 'scores' | 'weighted_score' | 'pass_threshold'>;
  human: HumanReview | null;
}

/**
 * Says which runs have the same judge: the same model asked for the same criteria. Scores by other criteria tell
 * nothing about it.
 */
export const judgeKey = ({ judgment: { model, scores } }: JudgedRun): string =>
  JSON.stringify([model, Object.keys(scores).sort()]);

const LEVEL = { alpha: 0.05 };
/**
 * Compares the scores of each judge of a sweep with those of people. `earlier`: runs of other sweeps, whose scores tell
 * how far the same judge agrees with people. Only runs of the sweep itself correct its mean score, because other sweeps
 * may have had other results.
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
        passed_alone: reviewed.filter(({ human, judge, threshold }) => judge >= threshold && human < threshold).length,
        failed_alone: reviewed.filter(({ human, judge, threshold }) => judge < threshold && human >= threshold).length,
        overall,
        criteria,
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
    : (ORDER.find((verdict) => criteria.some((criterion) => criterion.verdict === verdict)) ?? 'not calibrated');
