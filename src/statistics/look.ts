import { isStratumTested, sum, type Count, type Interval, type Stratum } from './counts.js';
import { directionOf } from './direction.js';
import { meanDifference, scoreInterval, scoreStatistic } from './miettinen-nurminen.js';
import { NO_LOOK, lookAt, passesIn, type RoundPasses } from './sequential-test.js';
import { boundaries } from './spending.js';

/** The runs of one round, with the configurations in the same order each time; one without new runs has 0 of 0. */
export type Round = readonly Stratum[];

interface LookPlan {
  alpha: number;
  /** A share, above 0; null: only better and worse are looked for. */
  margin: number | null;
  /** Pairs of runs of all configurations together at the cap. */
  most: number;
}

/** The reason why a sweep stops, or does not. `most runs`: the cap is reached, and no verdict holds. */
type LookReason = 'difference' | 'margin' | 'most runs' | 'not clear yet';

export interface Look {
  stop: boolean;
  verdict: 'better' | 'worse' | 'not worse' | 'equivalent' | 'undecided';
  reason: LookReason;
  /** Mean over configurations of the pass rate of head minus that of base; null: none has runs on both sides. */
  difference: number | null;
  /** Holds at all looks together, so it may be read at any of them. */
  interval: Interval | null;
  /** Null: no margin was given. */
  not_worse: boolean | null;
  /** The highest probability of a false 'better' or 'worse' by now. */
  spent_alpha: number;
  /** The share of the most runs that are in. */
  information: number;
  /** Rounds that count: those after a stop do not. */
  rounds: number;
}

/**
 * Decides after a round whether the verdict is clear. The result depends only on the rounds so far, so later
 * rounds do not change it. 'better' and 'worse' are decided by the exact sequential test, and the repeated
 * interval is cut or extended at 0 to agree; 'not worse' and 'equivalent' by the interval alone. C. Jennison and B. W.
 * Turnbull, "Interim analyses: the repeated confidence interval approach", JRSS B 51 (1989) 305-361.
 */
export function look(rounds: readonly Round[], plan: LookPlan): Look {
  const times = timesOf(rounds, plan.most);
  const zs = boundaries(times, plan.alpha);
  const tables = tablesOf(rounds);
  let [test, at] = [NO_LOOK, -1];
  for (const round of passesIn(rounds, tables)) {
    test = lookAt(test, round, plan);
    at += 1;
    const time = times[at] ?? 0;
    const isLast = at === rounds.length - 1;
    const strata = tables[at] ?? [];
    if (strata.length === 0) continue;
    const difference = meanDifference(strata);
    // With different numbers of runs, the sum of passes and the mean of differences can point in different directions.
    const crossed = test.crossed === directionOf(strata) ? test.crossed : null;
    const z = zs[at] ?? Infinity;
    const decided = decide(crossed, strata, { z, margin: plan.margin });
    const isOver = time >= 1 - 1e-9;
    if (!decided.stop && !isOver && !isLast) continue;
    return {
      ...decided,
      stop: decided.stop || isOver,
      reason: !decided.stop && isOver ? 'most runs' : decided.reason,
      difference,
      interval: agreeing(scoreInterval(strata, z), crossed),
      spent_alpha: test.spent,
      information: time,
      rounds: at + 1,
    };
  }
  return NO_ROUND;
}

const NO_ROUND: Look = {
  stop: false,
  verdict: 'undecided',
  reason: 'not clear yet',
  difference: null,
  interval: null,
  not_worse: null,
  spent_alpha: 0,
  information: 0,
  rounds: 0,
};

function decide(
  crossed: 'better' | 'worse' | null,
  strata: readonly Stratum[],
  { z, margin }: { z: number; margin: number | null },
): Pick<Look, 'stop' | 'verdict' | 'reason' | 'not_worse'> {
  // True if the interval excludes the margin. The interval is not computed at every look.
  const notWorse = margin === null ? null : scoreStatistic(strata, -margin) > z;
  if (crossed !== null) return { stop: true, verdict: crossed, reason: 'difference', not_worse: notWorse };
  if (margin !== null && notWorse === true) {
    const verdict = scoreStatistic(strata, margin) < -z ? 'equivalent' : 'not worse';
    return { stop: true, verdict, reason: 'margin', not_worse: notWorse };
  }
  return { stop: false, verdict: 'undecided', reason: 'not clear yet', not_worse: notWorse };
}

/** The exact test decides whether 0 is in the interval, which is an approximation. */
const agreeing = ({ low, high }: Interval, crossed: 'better' | 'worse' | null): Interval => ({
  low: crossed === 'better' ? Math.max(0, low) : Math.min(0, low),
  high: crossed === 'worse' ? Math.min(0, high) : Math.max(0, high),
});

/** Returns the share of the most pairs that are in after each round. */
export function timesOf(rounds: readonly Round[], most: number): number[] {
  let pairs = 0;
  return rounds.map((round) => {
    pairs += sum(round, ({ base, head }) => Math.min(base.tested, head.tested));
    return Math.min(1, pairs / most);
  });
}

/** Adds up the rounds of each configuration. */
export function total(rounds: readonly Round[]): Stratum[] {
  const configurations = Math.max(0, ...rounds.map(({ length }) => length));
  const side = (at: number, name: keyof Stratum): Count => ({
    passed: sum(rounds, (round) => round[at]?.[name].passed ?? 0),
    tested: sum(rounds, (round) => round[at]?.[name].tested ?? 0),
  });
  return Array.from({ length: configurations }, (_, at) => ({
    base: side(at, 'base'),
    head: side(at, 'head'),
  }));
}

/** Returns the counts after each round, of the configurations that have runs on both sides by then. */
const tablesOf = (rounds: readonly Round[]): Stratum[][] =>
  rounds.map((_, at) => total(rounds.slice(0, at + 1)).filter(isStratumTested));

/** By which factor a level is smaller than the one that was tried before: p is rounded up by at most 5 %. */
const FINER = 0.95;
/** No smaller p is told apart. */
const SMALLEST_P = 1e-6;

/**
 * Returns the p value of the sequential test: the level above which it would have found the difference by now, between
 * 0.000001 and 1. Whenever the sweep stops, for whatever reason, the chance of a p of at most u is at most u without a
 * difference. It is at most `alpha` exactly if `look` says better or worse. C. Jennison and B. W. Turnbull, "Group
 * Sequential Methods with Applications to Clinical Trials" (2000), section 9.5. With counts, a test can find at one
 * level what it misses at a higher one, so p is the highest level that misses the difference.
 */
export function sequentialP(rounds: readonly Round[], { alpha, most }: Pick<LookPlan, 'alpha' | 'most'>): number {
  const tables = tablesOf(rounds);
  const looks = [...passesIn(rounds, tables)].map((round, at) => ({
    ...round,
    direction: directionOf(tables[at] ?? []),
  }));
  // Levels around alpha, which is one of them.
  const levelAt = (step: number): number => alpha * FINER ** step;
  let step = Math.ceil(Math.log(alpha) / -Math.log(FINER));
  while (levelAt(step) >= SMALLEST_P && finds(looks, { alpha: levelAt(step), most })) step += 1;
  const p = Math.min(1, levelAt(step - 1));
  return finds(looks, { alpha, most }) ? Math.min(p, alpha) : p;
}

type DirectedLook = RoundPasses & { direction: 'better' | 'worse' | null };

/** True if the test of this level stops at one of the looks. */
function finds(looks: readonly DirectedLook[], plan: { alpha: number; most: number }): boolean {
  let test = NO_LOOK;
  return looks.some((round) => {
    test = lookAt(test, round, plan);
    return test.crossed !== null && test.crossed === round.direction;
  });
}
