import type { Decision } from '../decision/decision.js';
import { wasNeverStarted } from '../without-result.js';
import type { ComparisonOptions } from './document.js';
import type { BoundedFindings, Findings } from './findings.js';
import type { SweepResults } from './samples.js';

/**
 * Returns what a sweep has decided that ran until its verdict was clear, if its two sides are what is compared here, at the same
 * level. Null if there is none, or it has tested nothing.
 */
export function decisionOf(
  base: SweepResults,
  head: SweepResults,
  { alpha }: Pick<ComparisonOptions, 'alpha'>,
): Decision | null {
  const { decision = null } = head;
  if (decision?.alpha !== alpha || decision.difference === null || decision.p == null) return null;
  const { variant, sweep } = decision.base;
  const isSame =
    variant === null
      ? sweep === base.sweep && base.variant === null && head.variant === null
      : base.sweep === head.sweep && variant === base.variant && decision.head_variant === head.variant;
  return isSame ? decision : null;
}

/** Replaces what a test with a fixed number of runs finds in the total by what the sequential test found when it stopped. */
export function decidedFindings(
  { actual, bestForHead, worstForHead }: BoundedFindings,
  { difference, interval, p = null, alpha, verdict: decided, stopped }: Decision,
  { margin }: ComparisonOptions,
): BoundedFindings {
  if (difference === null || interval === null || p === null) return { actual, bestForHead, worstForHead };
  const verdict = p > alpha ? 'no difference shown' : difference > 0 ? 'better' : 'worse';
  const found = {
    ...({ difference, interval, p, verdict } as const),
    not_worse: margin === null ? null : { bound: interval.low, holds: interval.low > -margin },
    equivalent: margin === null ? null : interval.low > -margin && interval.high < margin,
  };
  const replace = ({ total, configurations }: Findings): Findings => ({
    total: { ...total, ...found },
    // A single configuration is all there is.
    configurations:
      configurations.length === 1
        ? configurations.map((one) => ({ ...one, ...found, adjusted_p: p }))
        : configurations,
  });
  // It decides only what holds whatever errors have hidden.
  const isRobust = stopped !== null && decided !== 'not tested' && (p > alpha || decided === verdict);
  return {
    actual: replace(actual),
    bestForHead: isRobust ? replace(bestForHead) : bestForHead,
    worstForHead: isRobust ? replace(worstForHead) : worstForHead,
  };
}

/** Doubts about sweeps that did not run a number of cells that was fixed before. `decision`: that which replaces the total. */
export function stopDoubts(base: SweepResults, head: SweepResults, decision: Decision | null): string[] {
  if (decision !== null)
    return [
      `these are the two sides of a sweep that ${stoppedText(decision)}: the verdict, its interval and its p allow for that, but those of single configurations, costs and other numbers do not`,
    ];
  const sides =
    base.sweep === head.sweep
      ? [['the sweep', base] as const]
      : [['base', base] as const, ['head', head] as const];
  return sides.flatMap(([name, sweep]) => [
    ...(sweep.decision == null
      ? []
      : [
          `${name} ${stoppedText(sweep.decision)}: how many runs there are depends on how they went, which p and interval do not allow for; a difference in favour of what it found appears more often than they say`,
        ]),
    ...budgetDoubt(name, sweep),
    ...(sweep.status === 'cancelled'
      ? [`${name} was cancelled: if whoever did so had seen results, these are no fair sample`]
      : []),
  ]);
}

const stoppedText = ({ stopped }: Decision): string =>
  stopped === 'clear'
    ? 'ran until its verdict was clear (`run --until-clear`)'
    : `was to run until its verdict is clear (\`run --until-clear\`), and ${stopped === null ? 'has not ended' : `stopped for another reason: ${stopped}`}`;

function budgetDoubt(name: string, { lines, cells }: SweepResults): string[] {
  const last = new Map(lines.map((line) => [line.cell, line]));
  const unstarted = cells.filter(({ id }) => {
    const line = last.get(id);
    return line !== undefined && wasNeverStarted(line);
  }).length;
  return unstarted === 0
    ? []
    : [
        `${name}: ${unstarted} ${unstarted === 1 ? 'cell was' : 'cells were'} never started, because of the budget: which ones may depend on what the others have cost`,
      ];
}
