import { groupBy } from '#lib';
import { type ResultLine, workRunOf } from '#model';
import { firstLevel, informationIn, ledgerOf, ledgerOfRepeats, smallestPossible, type Stratum } from '#statistics';
import { stratumOf, type BoundedFindings, type Findings } from './findings.js';
import type { Pair, Sample, SweepResults } from './arms.js';
import type { Decision } from '../decision/decision.js';
import { wasNeverStarted } from '../is-tested.js';
import type { ComparisonOptions } from './document.js';

/** The looks at a question so far. */
export interface Looks {
  /** This one included. */
  number: number;
  level: number;
  spent: number;
  /** The level of the next look, with so many more runs of each configuration on each side. */
  levelAfter: (runs: number) => number;
}

/**
 * Returns the looks at the difference between these configurations. Nobody has to record them: after each sweep that
 * added runs to these, somebody may have compared, so that counts as a look. A look that could not have shown any
 * difference has spent nothing.
 */
export function looksAt(pairs: readonly Pair[], alpha: number): Looks {
  const passedOver = runsPassedOver(pairs);
  const ledger = (informations: readonly number[]) =>
    (passedOver.length > 0 && informations.length > 0
      ? ledgerOfRepeats(informations.length, alpha)
      : ledgerOf(informations, alpha).at(-1)) ?? { level: firstLevel(alpha), spent: 0 };
  const known: number[] = [];
  let look = { looks: known, ...ledger(known), spends: false };
  const informationOf = (strata: readonly Stratum[]): number => informationIn(withRuns(strata, passedOver));
  const earlier = earlierLooks(pairs, passedOver).map((strata) => ({ strata, information: informationIn(strata) }));
  const now = pairs.map(stratumOf);
  for (const { strata, information } of [...earlier, { strata: now, information: informationOf(now) }]) {
    // Without new runs, it is the same look again.
    const looks = information > (known.at(-1) ?? 0) ? [...known, information] : known;
    const { level, spent } = ledger(looks);
    const spends = looks !== known && smallestPossible(strata) <= level;
    look = { looks, level, spent, spends };
    if (spends) known.push(information);
  }
  return {
    number: Math.max(1, look.looks.length),
    level: look.level,
    spent: ledger(known).spent,
    levelAfter: (runs) => ledger([...known, informationOf(pairs.map((pair) => withMore(pair, runs)))]).level,
  };
}

const withMore = (pair: Pair, runs: number): Stratum => {
  const { base, head } = stratumOf(pair);
  const more = base.tested > 0 && head.tested > 0 ? runs : 0;
  return {
    base: { ...base, tested: base.tested + more },
    head: { ...head, tested: head.tested + more },
  };
};

/**
 * Returns what was there at each look before this one. Sweeps count in the order in which they ended. If one that added
 * runs to one side is followed by one that added runs to the other, these are a look together: runs are bought for both
 * sides. `passedOver`: further runs.
 */
function earlierLooks(pairs: readonly Pair[], passedOver: readonly RunOfPair[]): Stratum[][] {
  const sweeps = groupBy(
    [...runsOf(pairs, ({ samples }) => samples), ...passedOver],
    ({ line }) => line.ran_in?.sweep ?? line.sweep,
  )
    .map((added) => ({
      added,
      /** Null: both. */
      side: new Set(added.map(({ side }) => side)).size === 1 ? (added[0]?.side ?? null) : null,
      ended: added.reduce((last, { line }) => latest(last, line.ran_in?.timestamp ?? line.timestamp), ''),
    }))
    .sort((a, b) => (a.ended === b.ended ? 0 : a.ended < b.ended ? -1 : 1));
  // A baseline has no runs, only their numbers, which were there before.
  const strata = pairs.map(({ base }): Stratum => ({
    base: { passed: 0, tested: base.samples.length === 0 ? base.side.tested : 0 },
    head: { passed: 0, tested: 0 },
  }));
  let [isHalf, sofar] = [false, strata];
  return sweeps.slice(0, -1).flatMap(({ added, side }, index) => {
    sofar = withRuns(sofar, added);
    const next = sweeps[index + 1]?.side ?? null;
    isHalf = !isHalf && side !== null && next !== null && side !== next;
    return isHalf ? [] : [sofar];
  });
}

/** A run of one side of a pair. */
interface RunOfPair {
  at: number;
  side: keyof Pair;
  line: Sample;
}

const runsOf = (pairs: readonly Pair[], of: (arm: Pair['base']) => readonly Sample[]): RunOfPair[] =>
  pairs.flatMap((pair, at) =>
    (['base', 'head'] as const).flatMap((side) => of(pair[side]).map((line) => ({ at, side, line }))),
  );

function withRuns(strata: readonly Stratum[], runs: readonly RunOfPair[]): Stratum[] {
  const sum = structuredClone([...strata]);
  for (const { at, side } of runs) {
    const stratum = sum[at];
    if (stratum !== undefined) stratum[side].tested += 1;
  }
  return sum;
}

/**
 * Returns the runs of other sweeps with which the same question could be asked before, as with `--no-cache`: who
 * repeats a side until it shows a difference looks again each time. If the inputs of both sides are the same, the
 * question is what changed between these two sweeps, and other sweeps are other questions.
 */
function runsPassedOver(pairs: readonly Pair[]): RunOfPair[] {
  const counted = runsOf(pairs, ({ samples }) => samples);
  const known = new Set(counted.map(({ line }) => workRunOf(line)));
  const last = counted.reduce((end, { line }) => latest(end, line.ran_in?.timestamp ?? line.timestamp), '');
  return runsOf(pairs, ({ others }) => others).filter(
    ({ at, line }) =>
      line.timestamp < last && !known.has(line.id) && pairs.slice(at, at + 1).every((pair) => !hasCommonInputs(pair)),
  );
}

const hasCommonInputs = ({ base, head }: Pair): boolean => {
  const inputs = new Set(base.inputs.values());
  return [...head.inputs.values()].some((key) => inputs.has(key));
};

const latest = (one: string, other: string): string => (one > other ? one : other);

/** Adds in which sweep the work of a result was done, if it was another one. `results`: all of the results folder. */
export function withOrigins(lines: readonly Sample[], results: readonly ResultLine[]): Sample[] {
  const wanted = new Set(lines.flatMap((line) => (workRunOf(line) === line.id ? [] : workRunOf(line))));
  if (wanted.size === 0) return [...lines];
  const origins = new Map(results.flatMap((line) => (wanted.has(line.id) ? [[line.id, line]] : [])));
  return lines.map((line) => {
    if (!wanted.has(workRunOf(line))) return line;
    const { sweep, timestamp } = origins.get(workRunOf(line)) ?? UNKNOWN;
    return { ...line, ran_in: { sweep, timestamp } };
  });
}

/** The line of a reused run is gone. It was there before. */
const UNKNOWN = { sweep: '', timestamp: '' };

/**
 * Returns what a sweep has decided that ran until its verdict was clear, if its two sides are what is compared here, at
 * the same level. Null if there is none, or it has tested nothing.
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

/**
 * Replaces what a test with a fixed number of runs finds in the total by what the sequential test found when it
 * stopped. With hidden cells, its interval holds for the counted pairs only. Then only the margin that its verdict has
 * shown counts, which holds whatever they would have shown.
 */
export function decidedFindings(
  { actual, bestForHead, worstForHead }: BoundedFindings,
  decision: Decision,
  { margin, isComplete }: Pick<ComparisonOptions, 'margin'> & { isComplete: boolean },
): BoundedFindings {
  const { difference, interval, p, alpha, verdict: decided, stopped, judge_drift: drift } = decision;
  if (difference === null || interval === null || p === null) return { actual, bestForHead, worstForHead };
  const verdict = p > alpha ? 'no difference shown' : difference > 0 ? 'better' : 'worse';
  const found: Pick<Findings['total'], 'difference' | 'interval' | 'p' | 'verdict' | 'not_worse' | 'equivalent'> = {
    difference,
    interval,
    p,
    verdict,
    not_worse: margin === null ? null : { bound: interval.low, holds: interval.low > -margin },
    equivalent: margin === null ? null : interval.low > -margin && interval.high < margin,
  };
  const replace = ({ total, configurations }: Findings, by: typeof found): Findings => ({
    total: { ...total, ...by },
    // A single configuration is all there is.
    configurations:
      configurations.length === 1 ? configurations.map((one) => ({ ...one, ...by, adjusted_p: p })) : configurations,
  });
  // It decides only what holds whatever errors have hidden.
  const isRobust =
    stopped !== null &&
    // If the judge could be the reason, what is known of it now decides.
    (drift?.explains === true || (decided !== 'not tested' && (p > alpha || decided === verdict)));
  const marginsIn = ({ total }: Findings): Pick<typeof found, 'not_worse' | 'equivalent'> => {
    if (margin === null || (isComplete && isRobust)) return found;
    const shown = isRobust ? shownMargin(decision) : null;
    if (shown !== null && shown <= margin)
      return {
        not_worse: { bound: Math.min(interval.low, 0 - shown), holds: true },
        equivalent: decided === 'equivalent' || (found.equivalent === true ? null : found.equivalent),
      };
    const bound = Math.min(interval.low, total.not_worse?.bound ?? -1);
    // By how much head may be worse is not known.
    return { not_worse: bound > -margin ? null : { bound, holds: false }, equivalent: found.equivalent && null };
  };
  // Where it is not clear whether that holds, a fixed test could claim more than one that has looked before.
  const bounded = (findings: Findings, against: 'better' | 'worse'): Findings =>
    replace(findings, {
      ...found,
      ...marginsIn(findings),
      verdict: isRobust ? verdict : findings.total.verdict === against ? against : 'no difference shown',
    });
  return {
    actual: replace(actual, found),
    bestForHead: bounded(bestForHead, 'better'),
    worstForHead: bounded(worstForHead, 'worse'),
  };
}

/** The margin by which head is shown not to be worse; null: none. */
function shownMargin({ verdict, margin, p, alpha, difference, judge_drift: drift }: Decision): number | null {
  const isShown = p != null && p <= alpha;
  // Only such a verdict was taken back, and is judged by what is known now.
  const isTakenBack = drift?.explains === true;
  if (verdict === 'better' || (isTakenBack && isShown && (difference ?? 0) > 0)) return 0;
  return verdict === 'not worse' || verdict === 'equivalent' || (isTakenBack && !isShown) ? margin : null;
}

/**
 * Doubts about sweeps that did not run a number of cells that was fixed before. `decision`: that which replaces the
 * total.
 */
export function stopDoubts(base: SweepResults, head: SweepResults, decision: Decision | null): string[] {
  if (decision !== null)
    return [
      `these are the two sides of a sweep that ${stoppedText(decision)}: the verdict, its interval and its p allow for that, but those of single configurations, costs and other numbers do not`,
    ];
  const sides =
    base.sweep === head.sweep ? [['the sweep', base] as const] : [['base', base] as const, ['head', head] as const];
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
