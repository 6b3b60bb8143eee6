import { groupBy, mean } from '#lib';
import { type ResultDigest, type ResultLine, workRunOf } from '#model';
import { type Estimated, type Flips, flipsP, type Interval, less, movedBy, movedInterval } from '#statistics';
import type { JudgeDrift } from '../calibration/document.js';
import { driftText } from '../calibration/judge-notes.js';
import { isTested } from '../is-tested.js';
import type { Comparison, ComparisonOptions } from './document.js';
import { armsOf, isSharedWith, type Pair, type Sample, type SweepResults } from './arms.js';

/** The facts about a run that its line does not have. */
export interface JudgedFacts {
  /** The questions that its models were asked, without the names of the models; null: unknown. */
  question: (line: ResultLine) => string | null;
  /** The cost of judging a run, US dollars; null: unknown. */
  cost: (line: ResultLine) => number | null;
}

/** So many verdicts that stay the same show that the judge has moved by no more than about 11 points. */
const SAMPLE = 30;
const DAY = 86_400_000;

/** A baseline keeps no answers. */
export const UNCHECKED: JudgeDrift = {
  state: 'not checked',
  differs: [],
  judged: 0,
  again: 0,
  to_fail: 0,
  to_pass: 0,
  left_out: 0,
  moved: null,
  interval: null,
  p: null,
  sweeps: [],
  days: null,
  without: null,
  explains: false,
  sample: null,
};

type LineWithMetrics = Pick<ResultLine, 'metrics'>;

/** True of a run that a model has judged: as a whole, or in a gate. */
export const isJudged = ({ metrics }: Pick<ResultDigest, 'metrics'>): boolean =>
  metrics !== null && (metrics.judge !== null || metrics.details.some((gate) => gate.judged_by !== undefined));

/**
 * Says whether the models that judged are the same on both sides, from the records and from runs of base that `regrade`
 * has judged again as head was judged. Takes back a verdict of which the judge could be the reason. `results`: all
 * results.
 */
export function withJudgeDrift(
  comparison: Comparison,
  { base, head }: Record<keyof Pair, SweepResults>,
  results: readonly ResultLine[],
  facts: JudgedFacts,
): Comparison {
  if (base.sweep === head.sweep) return comparison;
  const sides = { base, head };
  const after = armsOf(head, isSharedWith(base), comparison);
  const own = [...armsOf(base, isSharedWith(head), comparison)].flatMap(([key, was]): Drifting[] => {
    const is = after.get(key);
    return is === undefined ? [] : [driftingOf({ base: was, head: is }, sides, results, facts)];
  });
  const all = summed(own.filter((_, at) => comparison.configurations[at]?.p != null));
  if (all.judged.length + all.headJudged.length === 0) return comparison;
  const total = allowFor({ ...comparison.total, verdict: comparison.verdict }, all, comparison);
  const each = comparison.configurations.map((one, at) => {
    const { again, ...drifting } = own[at] ?? all;
    return allowFor(one, { ...drifting, again: again.length === 0 ? all.again : again }, comparison);
  });
  const judge_drift = {
    ...driftOf(all, { head, facts, options: comparison }),
    without: total.without,
    explains: total.verdict || total.margin,
  };
  return {
    ...comparison,
    gate: gateOf(comparison, judge_drift, total, each),
    total: { ...comparison.total, ...total.changes },
    configurations: comparison.configurations.map((one, at) => ({ ...one, ...each[at]?.changes })),
    judge_drift,
  };
}

/** A run of base, and the same work judged again. */
interface Rejudged {
  was: Sample;
  is: ResultLine;
}

interface Drifting {
  /** Sentences about what the records of both sides have differently. */
  differs: readonly string[];
  judged: readonly Sample[];
  headJudged: readonly Sample[];
  again: readonly Rejudged[];
  leftOut: number;
  /** The share of base's runs that a model judged. The others cannot move. */
  share: number;
}

function driftingOf(
  { base, head }: Pair,
  sweeps: Record<keyof Pair, SweepResults>,
  results: readonly ResultLine[],
  facts: JudgedFacts,
): Drifting {
  const [judged, headJudged] = [base.samples.filter(isJudged), head.samples.filter(isJudged)];
  // Judged as head was: the same model was asked the same, and calls itself the same.
  const judgmentInputs = (line: ResultLine): string | null => {
    const asked = facts.question(line);
    return asked === null ? null : JSON.stringify([listed([line], requested), asked]);
  };
  const hows = new Set(headJudged.map(judgmentInputs));
  const names = new Set(headJudged.flatMap(reported));
  const isJudgedLikeHead = (line: ResultLine): boolean =>
    judgmentInputs(line) !== null &&
    hows.has(judgmentInputs(line)) &&
    (names.size === 0 || reported(line).every((name) => names.has(name)));
  const works = new Map(base.samples.map((sample) => [workRunOf(sample), sample]));
  const candidates = results.flatMap((line): Rejudged[] => {
    const was = line.regraded_from === undefined ? undefined : works.get(line.regraded_from.run);
    if (was === undefined || line.id === was.id || line.sweep === sweeps.base.sweep) return [];
    return isTested(line) && isJudged(line) && isJudgedLikeHead(line) ? [{ was, is: line }] : [];
  });
  const started = Date.parse(sweeps.head.started);
  const nearest = groupBy(candidates, ({ was }) => was.id).flatMap((group) =>
    group.toSorted((a, b) => Math.abs(timeOf(a) - started) - Math.abs(timeOf(b) - started)).slice(0, 1),
  );
  const again = nearest.filter(({ was, is }) => otherChecks(was) === otherChecks(is));
  return {
    differs: differences(base.samples, head.samples, facts),
    judged,
    headJudged,
    again,
    leftOut: nearest.length - again.length,
    share: judged.length > 0 ? judged.length / base.samples.length : headJudged.length / head.samples.length || 0,
  };
}

const timeOf = ({ is }: Rejudged): number => Date.parse(is.timestamp);

/** The verdicts that depend on no model. If they are not the same, something besides the judge has changed. */
const otherChecks = ({ metrics }: LineWithMetrics): string =>
  JSON.stringify(
    (metrics?.details ?? [])
      .filter((gate) => gate.judged_by === undefined)
      .map(({ gate_type: type, name, subject, passed }) => [type, name, subject, passed]),
  );

const listed = (lines: readonly ResultLine[], of: (line: ResultLine) => readonly string[]): string =>
  [...new Set(lines.flatMap(of))].sort().join(', ');

const requested = ({ metrics }: LineWithMetrics): string[] => [
  ...(metrics?.judge == null ? [] : [metrics.judge.model]),
  ...(metrics?.details ?? []).flatMap((gate) => gate.judged_by ?? []),
];
const reported = ({ metrics }: LineWithMetrics): string[] => [
  ...(metrics?.judge?.model_used == null ? [] : [metrics.judge.model_used]),
  ...(metrics?.details ?? []).flatMap((gate) => gate.model_used ?? []),
];

/**
 * Says what the records of both sides have differently. A judge may have been asked of no run of a side, because all
 * failed before.
 */
function differences(before: readonly Sample[], after: readonly Sample[], { question }: JudgedFacts): string[] {
  const changed = (of: (line: ResultLine) => readonly string[]): [string, string] | null => {
    const [was, is] = [listed(before, of), listed(after, of)];
    return was === '' || is === '' || was === is ? null : [was, is];
  };
  const asked = changed(requested);
  const answered = changed(reported);
  return [
    ...(asked === null ? [] : [`another model was asked: ${asked.join(' → ')}`]),
    ...(asked !== null || answered === null ? [] : [`another version answered: ${answered.join(' → ')}`]),
    ...(changed((line) => [question(line) ?? []].flat()) === null
      ? []
      : ['it was asked something else: the rubric, the prompts, the threshold or the votes have changed']),
  ];
}

function summed(known: readonly Drifting[]): Drifting {
  return {
    differs: [...new Set(known.flatMap(({ differs }) => differs))],
    judged: known.flatMap(({ judged }) => judged),
    headJudged: known.flatMap(({ headJudged }) => headJudged),
    again: known.flatMap(({ again }) => again),
    leftOut: known.reduce((sum, one) => sum + one.leftOut, 0),
    share: mean(known.map(({ share }) => share)) ?? 0,
  };
}

const flipsOf = ({ again }: Pick<Drifting, 'again'>): Flips => ({
  pairs: again.length,
  toPass: again.filter(({ was, is }) => was.outcome === 'fail' && is.outcome === 'pass').length,
  toFail: again.filter(({ was, is }) => was.outcome === 'pass' && is.outcome === 'fail').length,
});

interface Context {
  head: SweepResults;
  facts: JudgedFacts;
  options: Pick<ComparisonOptions, 'alpha'>;
}

function driftOf(all: Drifting, { head, facts, options }: Context): Omit<JudgeDrift, 'without' | 'explains'> {
  const flips = flipsOf(all);
  const isChecked = flips.pairs > 0;
  const p = isChecked ? flipsP(flips) : null;
  const costs = all.judged.map(facts.cost);
  const usd = costs.includes(null) ? null : mean(costs);
  const runs = Math.min(SAMPLE, all.judged.length);
  const [was, is] = [listed(all.judged, requested), listed(all.headJudged, requested)];
  const days = all.again.map((one) => Math.abs(timeOf(one) - Date.parse(head.started)) / DAY);
  return {
    state: p === null ? 'not checked' : p <= options.alpha ? 'moved' : 'same',
    differs: [...all.differs],
    judged: all.judged.length,
    again: flips.pairs,
    to_fail: flips.toFail,
    to_pass: flips.toPass,
    left_out: all.leftOut,
    moved: isChecked ? movedBy(flips) : null,
    interval: isChecked ? movedInterval(flips, options) : null,
    p,
    sweeps: [...new Set(all.again.map(({ is }) => is.sweep))].sort(),
    days: isChecked ? Math.floor(Math.max(...days)) : null,
    sample: runs === 0 ? null : { runs, usd: usd === null ? null : runs * usd, model: was === is ? null : is },
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
 * differ, the interval of the movement counts. Otherwise, only what was seen of it is taken off: else, a check that
 * finds nothing would make a verdict less sure than no check.
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
  const isSure = isKnown || flipsP(flips) <= alpha;
  const without = (low: number, high: number): Estimated => less({ value: difference, low, high }, moved);
  const left = (low: number, high: number): Interval =>
    isSure ? without(low, high) : { low: low - Math.max(0, moved.value), high: high - Math.min(0, moved.value) };
  const { low, high } = left(interval.low, interval.high);
  const isReason = (verdict === 'worse' && high >= 0) || (verdict === 'better' && low <= 0);
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
