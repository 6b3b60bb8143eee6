import type { Agreement, Calibration } from './document.js';

/** A sentence about a model that judges. It is a warning unless the model is shown to agree with people. */
export interface JudgeNote {
  text: string;
  isWarning: boolean;
}

/** How many runs to review, if none or too few are. */
export const ENOUGH_REVIEWS = 20;

/** Says in a sentence how far a judge can be trusted. It is a warning unless the verdict is `agrees`. */
export function judgeNote({ judge, verdict, overall, criteria, ...counts }: Calibration): string {
  const name = `judge ${judge}`;
  // If people scored only criteria, the one with the most scores speaks for all.
  const [shown] = [overall, ...[...criteria].sort((a, b) => b.reviewed - a.reviewed)].filter(
    ({ reviewed }) => reviewed > 0,
  );
  if (verdict === 'not calibrated' || shown === undefined)
    return `${name} is not calibrated: no person has scored a run that it judged. Score about ${ENOUGH_REVIEWS} in their evaluation.md before you rely on its scores`;
  const numbers = `${kappaText(shown)}; ${differenceText(shown)}${mistakesText(counts)}`;
  switch (verdict) {
    case 'unclear':
      return `whether ${name} agrees with people is unclear: ${numbers}. Score about ${ENOUGH_REVIEWS} runs of different quality`;
    case 'low agreement':
      return `${name} agrees little with people: ${numbers}. Do not rely on its scores; change its rubric or model`;
    case 'agrees':
      return `${name} agrees with people: ${numbers}`;
  }
}

/** Formats kappa: "weighted kappa 0.71 (0.52 to 0.90) in 22 runs". */
function kappaText({ kappa, interval, reviewed }: Agreement): string {
  const runs = `${reviewed} ${reviewed === 1 ? 'run' : 'runs'} that a person scored`;
  if (kappa === null) return reviewed < 2 ? `only ${runs}` : `all scores of the ${runs} are the same`;
  return `weighted kappa ${kappa.toFixed(2)}${rangeText(interval)} in ${runs}`;
}

function differenceText({ difference, difference_interval: interval }: Agreement): string {
  if (difference === null) return 'the mean difference is unknown';
  const size = Math.abs(difference).toFixed(2);
  const which = size === '0.00' ? 'the same' : `${size} ${difference > 0 ? 'higher' : 'lower'}`;
  return `it scores ${which} on average${rangeText(interval)}`;
}

/** Says which runs only one of model and person would pass; '' if there are none. */
export function mistakesText({
  passed_alone: passed,
  failed_alone: failed,
}: Pick<Calibration, 'passed_alone' | 'failed_alone'>): string {
  const parts = [
    ...(passed === 0 ? [] : [`passes ${passed} that people would fail`]),
    ...(failed === 0 ? [] : [`fails ${failed} that people would pass`]),
  ];
  return parts.length === 0 ? '' : `; it ${parts.join(' and ')}`;
}

/** Formats an interval: " (-0.10 to 0.02)". */
export const rangeText = (interval: { low: number; high: number } | null): string =>
  interval === null ? '' : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`;
