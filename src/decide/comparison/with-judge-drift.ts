import { type Estimated, flipsP, type Interval, less, movedBy, movedInterval } from '#statistics';
import type { ResultLine } from '#model';
import type { JudgeDrift } from '../calibration/document.js';
import { driftText, judgeCheck, withoutDriftText } from '../calibration/judge-notes.js';
import type { Decision } from '../decision/decision.js';
import type { Comparison, ComparisonOptions } from './document.js';
import {
  type Drifting,
  driftings,
  driftOf,
  flipsOf,
  isJudged,
  type JudgedFacts,
  SAMPLE,
  type Sweeps,
  UNCHECKED,
} from './judge-drift.js';

/**
 * Says whether the models that judged are the same on both sides, from the records and from runs of base that `regrade`
 * has judged again as head was judged. Takes back a verdict of which the judge could be the reason. `results`: all
 * results.
 */
export function withJudgeDrift(
  comparison: Comparison,
  sweeps: Sweeps,
  results: readonly ResultLine[],
  facts: JudgedFacts,
): Comparison {
  if (sweeps.base.sweep === sweeps.head.sweep) return comparison;
  const { each: own, all } = driftings(sweeps, results, facts, comparison);
  if (all.judged.length + all.headJudged.length === 0) return comparison;
  const total = allowFor({ ...comparison.total, verdict: comparison.verdict }, all, comparison);
  const each = comparison.configurations.map((one, at) => {
    const { again, ...drifting } = own[at] ?? all;
    return allowFor(one, { ...drifting, again: again.length === 0 ? all.again : again }, comparison);
  });
  const judge_drift = {
    ...driftOf(all, { head: sweeps.head, facts, options: comparison }),
    without: total.without,
    explains: total.verdict || total.margin,
  };
  return {
    ...comparison,
    gate: gateOf(comparison, judge_drift, total, each),
    total: { ...comparison.total, ...total.changes },
    configurations: comparison.configurations.map((one, at) => ({ ...one, ...each[at]?.changes })),
    ...(comparison.parameters === undefined
      ? {}
      : { parameters: comparison.parameters.map((one) => ({ ...one, ...allowFor(one, all, comparison).changes })) }),
    judge_drift,
  };
}

/**
 * The same for what a sweep has decided against another one that ran before it. `sweeps`: that one, and the sweep with
 * the cells that it needed.
 */
export function decisionWithJudgeDrift(
  decision: Decision,
  sweeps: Sweeps,
  results: readonly ResultLine[],
  facts: JudgedFacts,
): Decision {
  const { verdict, difference, interval } = decision;
  const isShown = verdict === 'better' || verdict === 'worse';
  const isWithin = verdict === 'not worse' || verdict === 'equivalent';
  if (interval === null || !(isShown || isWithin)) return decision;
  const { all } = driftings(sweeps, results, facts, decision);
  if (all.judged.length + all.headJudged.length === 0)
    // The results of base may be gone.
    return sweeps.head.lines.some(isJudged)
      ? { ...decision, doubts: [...decision.doubts, driftText(UNCHECKED)], judge_drift: UNCHECKED }
      : decision;
  const found: JudgedVerdict = {
    verdict: isShown ? verdict : 'no difference shown',
    difference,
    interval,
    robust: isShown ? true : null,
    not_worse: isWithin ? { bound: interval.low, holds: true } : null,
    equivalent: isWithin ? verdict === 'equivalent' : null,
  };
  const allowed = allowFor(found, all, decision);
  const judge_drift = {
    ...driftOf(all, { head: sweeps.head, facts, options: decision }),
    without: allowed.without,
    explains: allowed.verdict || allowed.margin,
  };
  const check = judgeCheck(judge_drift, { base: sweeps.base.sweep, head: sweeps.head.sweep });
  const isStillEqual = verdict !== 'equivalent' || allowed.changes.equivalent !== false;
  return {
    ...decision,
    verdict: judge_drift.explains ? 'not tested' : isStillEqual ? verdict : 'not worse',
    doubts: [
      ...decision.doubts,
      ...(judge_drift.state === 'same' && !judge_drift.explains && isStillEqual
        ? []
        : [
            driftText(judge_drift),
            ...withoutDriftText(judge_drift),
            ...(check === null ? [] : [`\`${check.command}\` ${check.does}`]),
          ]),
    ],
    judge_drift,
  };
}

type JudgedVerdict = Pick<Comparison['total'], 'difference' | 'interval' | 'robust' | 'not_worse' | 'equivalent'> &
  Pick<Comparison, 'verdict'>;

interface Allowed {
  /** True if the judge could be the reason for `better` or `worse`. */
  verdict: boolean;
  /** True if it could be the reason for the claim about the margin. */
  margin: boolean;
  without: JudgeDrift['without'];
  changes: Partial<Pick<JudgedVerdict, 'robust' | 'not_worse' | 'equivalent'>>;
}

/**
 * Takes back what would not remain without the movement of the judge. Where this is shown, or the judges are known to
 * differ and few runs were judged again, the interval of the movement counts. Otherwise, only what was seen of it is
 * taken off: else, a check that finds nothing would make a verdict less sure than no check.
 */
function allowFor(found: JudgedVerdict, drifting: Drifting, { alpha, margin }: ComparisonOptions): Allowed {
  const { verdict, difference, interval, robust, not_worse: notWorse, equivalent } = found;
  const flips = flipsOf(drifting);
  const isKnown = drifting.differs.length > 0;
  const isAnyJudged = drifting.judged.length + drifting.headJudged.length > 0;
  if (difference === null || interval === null || !isAnyJudged || (flips.pairs === 0 && !isKnown))
    return { verdict: false, margin: false, without: null, changes: {} };
  if (flips.pairs === 0)
    return {
      verdict: robust !== null,
      margin: notWorse?.holds === true,
      without: null,
      changes: {
        ...(robust === null ? {} : { robust: false }),
        // By how much head may be worse is not known.
        ...(notWorse?.holds === true ? { not_worse: null, equivalent: null } : {}),
      },
    };
  const ends = movedInterval(flips, { alpha });
  const of = (moved: number): number => drifting.share * moved;
  const moved: Estimated = { value: of(movedBy(flips)), low: of(ends.low), high: of(ends.high) };
  const isSure = (isKnown && flips.pairs < SAMPLE) || flipsP(flips) <= alpha;
  const without = (low: number, high: number): Estimated => less({ value: difference, low, high }, moved);
  const left = (low: number, high: number): Interval =>
    isSure ? without(low, high) : { low: low - Math.max(0, moved.value), high: high - Math.min(0, moved.value) };
  const { low, high } = left(interval.low, interval.high);
  // An end at 0 belongs to a verdict that has no room to spare: without any movement, it stands.
  const isReason =
    (verdict === 'worse' && high >= 0 && high > interval.high) ||
    (verdict === 'better' && low <= 0 && low < interval.low);
  const bound = notWorse === null ? null : left(notWorse.bound, interval.high).low;
  const isWithin = margin === null || bound === null || notWorse?.holds !== true || bound > -margin;
  const isEqual = margin === null || (low > -margin && high < margin);
  const remains = without(interval.low, interval.high);
  return {
    verdict: isReason,
    margin: !isWithin,
    without: { difference: remains.value, interval: { low: remains.low, high: remains.high } },
    changes: {
      ...(isReason ? { robust: false } : {}),
      ...(isWithin ? {} : { not_worse: { bound, holds: false } }),
      ...(equivalent === true && (isSure || moved.value !== 0) ? { equivalent: isEqual } : {}),
    },
  };
}

/** The gate fails closed: it calls head neither worse nor `not worse` if the judge could be the reason. */
function gateOf(
  { gate, total, verdict, margin, configurations }: Comparison,
  drift: JudgeDrift,
  ofTotal: Allowed,
  ofEach: readonly Allowed[],
): Comparison['gate'] {
  const isStillWorse = [{ ...total, verdict }, ...configurations].some(
    (one, at) =>
      one.verdict === 'worse' &&
      one.robust !== false &&
      one.not_worse?.holds !== true &&
      (at === 0 ? ofTotal : ofEach[at - 1])?.verdict !== true,
  );
  const isHidden = drift.state === 'moved' && (drift.without?.interval.high ?? 0) < 0;
  const isTaken =
    (gate.result === 'worse' && !isStillWorse) ||
    (gate.result === 'not worse' && (margin === null ? ofTotal.verdict : ofTotal.margin)) ||
    (gate.result === 'not shown' && isHidden);
  return isTaken ? { result: 'not tested', reasons: [driftText(drift)] } : gate;
}
