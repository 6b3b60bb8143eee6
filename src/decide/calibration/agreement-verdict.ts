import type { ScorePair, weightedKappa } from '#statistics';
import type { CalibrationVerdict } from './document.js';

/** Of fewer runs, the interval of kappa is not reliable. */
const FEWEST = 10;
/**
 * Below this, agreement is called fair at best: J. R. Landis and G. G. Koch, "The measurement of observer agreement for categorical
 * data", Biometrics 33 (1977) 159-174.
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
