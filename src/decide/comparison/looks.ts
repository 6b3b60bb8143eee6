import { type ResultLine, workRunOf } from '#model';
import {
  type Account,
  afterStart,
  informationIn,
  leftOf,
  lookIn,
  smallestPossible,
  spentOf,
  type Stratum,
} from '#statistics';
import { stratumOf, type BoundedFindings, type Findings } from './findings.js';
import { looksIn, newestOf, type RunOfPair, runsOf, withRuns } from './earlier-looks.js';
import type { Pair, Sample, SweepResults } from './arms.js';
import type { Decision } from '../decision/decision.js';
import type { Start } from '../decision/question.js';
import type { ComparisonOptions } from './document.js';

/** The looks at a question so far. */
export interface Looks {
  /** This one included. */
  number: number;
  level: number;
  /** By looks and starts so far. */
  spent: number;
  /** The alpha that a start of `run --until-clear` would have now. */
  left: number;
  /** The level of the next look, with so many more runs of each configuration on each side. */
  levelAfter: (runs: number) => number;
}

interface Question {
  alpha: number;
  /** Sweeps of `run --until-clear` that have asked the same. */
  starts?: readonly Start[];
  /** True if the numbers are those of one of the starts, which has allowed for its looks. */
  isDecided?: boolean;
}

/**
 * Returns the looks at the difference between these configurations. Nobody has to record them: after each sweep that
 * added runs to these, somebody may have compared, so that counts as a look. A look that could not have shown any
 * difference has spent nothing. Starts of `run --until-clear` draw on the same alpha.
 */
export function looksAt(pairs: readonly Pair[], { alpha, starts = [], isDecided = false }: Question): Looks {
  const passedOver = runsPassedOver(pairs);
  const counted = runsOf(pairs, ({ samples }) => samples);
  const newest = newestOf(counted);
  const before = [...starts].filter(({ at }) => at < newest);
  const earlier = looksIn([...counted, ...passedOver], emptyStrata(pairs)).slice(0, -1);
  const account: Account = { alpha, spent: 0, looks: [], isRepeated: passedOver.length > 0 };
  const { account: known, number: looked } = drawnBy(account, earlier, before);
  const now = pairs.map(stratumOf);
  const informationOf = (strata: readonly Stratum[]): number => informationIn(withRuns(strata, passedOver));
  const look = lookWith(known, now, informationOf(now));
  const over = isDecided ? known : look.account;
  const next = starts.filter(({ at }) => at >= newest).reduce((sum, start) => afterStart(sum, start.alpha), over);
  return {
    number: Math.max(1, looked + look.added),
    level: look.level,
    spent: rounded(spentOf(over)),
    left: leftOf(next),
    levelAfter: (runs) => lookIn(next, [...next.looks, informationOf(pairs.map((pair) => withMore(pair, runs)))]).level,
  };
}

const rounded = (share: number): number => Number(share.toPrecision(4));

/** A baseline has no runs, only their numbers, which were there before. */
const emptyStrata = (pairs: readonly Pair[]): Stratum[] =>
  pairs.map(({ base }) => ({
    base: { passed: 0, tested: base.samples.length === 0 ? base.side.tested : 0 },
    head: { passed: 0, tested: 0 },
  }));

/** Adds looks and starts in the order in which they were. `spenders`: the sweeps after which a look spent something. */
function drawnBy(
  empty: Account,
  looks: readonly ReturnType<typeof looksIn>[number][],
  starts: readonly Start[],
): { account: Account; number: number; spenders: string[] } {
  const waiting = [...starts].sort((a, b) => (a.at < b.at ? -1 : 1));
  const isStart = new Set(starts.map(({ sweep }) => sweep));
  let [account, number] = [empty, 0];
  const spenders: string[] = [];
  for (const { sweep, ended, strata } of looks) {
    while (waiting[0] !== undefined && waiting[0].at < ended)
      account = afterStart(account, waiting.shift()?.alpha ?? 0);
    // It has looked by itself.
    if (isStart.has(sweep)) continue;
    const look = lookWith(account, strata, informationIn(strata));
    if (look.account !== account) spenders.push(sweep);
    number += look.account === account ? 0 : 1;
    account = look.account;
  }
  return { account: waiting.reduce((sum, { alpha }) => afterStart(sum, alpha), account), number, spenders };
}

/** A look with these runs: its level, and the account once it is over. `added`: 0 if it is the same look again. */
function lookWith(
  account: Account,
  strata: readonly Stratum[],
  information: number,
): { level: number; added: 0 | 1; account: Account } {
  const isNew = information > (account.looks.at(-1) ?? 0);
  const looks = isNew ? [...account.looks, information] : account.looks;
  const { level } = lookIn(account, looks);
  const spends = isNew && smallestPossible(strata) <= level;
  return { level, added: isNew ? 1 : 0, account: spends ? { ...account, looks } : account };
}

/**
 * Returns what comparisons of sweeps with these runs of both sides of each configuration, and starts of `run
 * --until-clear`, may have spent of alpha, and after which sweeps. Later runs may have been added to earlier ones or
 * have taken their place: whichever spends more counts.
 */
export function spentBefore(
  sides: readonly Record<keyof Pair, readonly ResultLine[]>[],
  starts: readonly Start[],
  alpha: number,
): { spent: number; left: number; by: string[] } {
  const none = sides.map((): Stratum => ({ base: { passed: 0, tested: 0 }, head: { passed: 0, tested: 0 } }));
  const looks = looksIn(
    runsOf(sides, (lines) => lines),
    none,
  );
  const [added, repeated] = [false, true].map((isRepeated) =>
    drawnBy({ alpha, spent: 0, looks: [], isRepeated }, looks, starts),
  );
  if (added === undefined || repeated === undefined) throw new Error('one account for each way to buy runs');
  const most = spentOf(repeated.account) > spentOf(added.account) ? repeated : added;
  return {
    spent: rounded(spentOf(most.account)),
    left: leftOf(most.account),
    by: [...new Set([...starts.map(({ sweep }) => sweep), ...most.spenders])],
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
 * Returns the runs of other sweeps with which the same question could be asked before, as with `--no-cache`: who
 * repeats a side until it shows a difference looks again each time. If the inputs of both sides are the same, the
 * question is what changed between these two sweeps, and other sweeps are other questions.
 */
function runsPassedOver(pairs: readonly Pair[]): RunOfPair[] {
  const counted = runsOf(pairs, ({ samples }) => samples);
  const known = new Set(counted.map(({ line }) => workRunOf(line)));
  const last = newestOf(counted);
  return runsOf(pairs, ({ others }) => others).filter(
    ({ at, line }) =>
      line.timestamp < last && !known.has(line.id) && pairs.slice(at, at + 1).every((pair) => !hasCommonInputs(pair)),
  );
}

const hasCommonInputs = ({ base, head }: Pair): boolean => {
  const inputs = new Set(base.inputs.values());
  return [...head.inputs.values()].some((key) => inputs.has(key));
};

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
  if (
    decision === null ||
    // It has decided something else than the pass rate.
    decision.measure !== undefined ||
    (decision.spent_before?.of_alpha ?? decision.alpha) !== alpha ||
    decision.difference === null ||
    decision.p == null
  )
    return null;
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
