import { groupBy, mean } from '#lib';
import { type ResultDigest, type ResultLine, workRunOf } from '#model';
import { type Flips, flipsP, movedBy, movedInterval } from '#statistics';
import type { JudgeDrift } from '../calibration/document.js';
import { isTested } from '../is-tested.js';
import type { ComparisonOptions } from './document.js';
import { armsOf, isSharedWith, type Pair, type Sample, type SweepResults } from './arms.js';
import { isPairTested } from './total-of.js';

/** The facts about a run that its line does not have. */
export interface JudgedFacts {
  /** The questions that its models were asked, without the names of the models; null: unknown. */
  question: (line: ResultLine) => string | null;
  /** The cost of judging a run, US dollars; null: unknown. */
  cost: (line: ResultLine) => number | null;
}

/** So many verdicts that stay the same show that the judge has moved by no more than about 11 points. */
export const SAMPLE = 30;
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

export type Sweeps = Record<keyof Pair, SweepResults>;

/** Returns what is known of the judges of each configuration, and of all that have runs on both sides. */
export function driftings(
  { base, head }: Sweeps,
  results: readonly ResultLine[],
  facts: JudgedFacts,
  options: { alpha: number },
): { each: Drifting[]; all: Drifting } {
  const after = armsOf(head, isSharedWith(base), options);
  const pairs = [...armsOf(base, isSharedWith(head), options)].flatMap(([key, was]): Pair[] => {
    const is = after.get(key);
    return is === undefined ? [] : [{ base: was, head: is }];
  });
  const each = pairs.map((pair) => driftingOf(pair, { base, head }, results, facts));
  return { each, all: summed(each.filter((_, at) => pairs.slice(at, at + 1).every(isPairTested))) };
}

/** A run of base, and the same work judged again. */
interface Rejudged {
  was: Sample;
  is: ResultLine;
}

export interface Drifting {
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
  sweeps: Sweeps,
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

export const flipsOf = ({ again }: Pick<Drifting, 'again'>): Flips => ({
  pairs: again.length,
  toPass: again.filter(({ was, is }) => was.outcome === 'fail' && is.outcome === 'pass').length,
  toFail: again.filter(({ was, is }) => was.outcome === 'pass' && is.outcome === 'fail').length,
});

interface Context {
  head: SweepResults;
  facts: JudgedFacts;
  options: Pick<ComparisonOptions, 'alpha'>;
}

export function driftOf(all: Drifting, { head, facts, options }: Context): Omit<JudgeDrift, 'without' | 'explains'> {
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
