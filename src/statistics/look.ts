import { isTested, sum, type Count, type Interval, type Stratum } from './counts.js';
import { meanDifference, scoreInterval } from './miettinen-nurminen.js';
import { nextLook, NO_LOOK } from './sequential-test.js';
import { boundaries } from './spending.js';

/** The runs of one round, with the configurations in the same order each time; one without new runs has 0 of 0. */
export type Round = readonly Stratum[];

export interface LookPlan {
  alpha: number;
  /** A share, above 0; null: only better and worse are looked for. */
  margin: number | null;
  /** Pairs of runs of all configurations together at the cap. */
  most: number;
}

/** Why a sweep stops, or does not. `most runs`: the cap is reached, and no verdict holds. */
export type LookReason = 'difference' | 'margin' | 'most runs' | 'not clear yet';

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
  /** The exact probability of a false 'better' or 'worse' by now. */
  spent_alpha: number;
  /** The share of the most runs that are in. */
  information: number;
  /** Rounds that count: those after a stop do not. */
  rounds: number;
}

/**
 * Decides after a round whether the verdict is clear. It depends on nothing but the rounds: a look that stopped stays as it was, whatever
 * rounds follow. 'better' and 'worse' are decided by the exact sequential test, if the repeated interval excludes 0 too;
 * 'not worse' and 'equivalent' by the interval alone. C. Jennison and B. W. Turnbull, "Interim analyses: the repeated confidence
 * interval approach", JRSS B 51 (1989) 305-361.
 */
export function look(rounds: readonly Round[], plan: LookPlan): Look {
  const times = timesOf(rounds, plan.most);
  const zs = boundaries(times, plan.alpha);
  let test = NO_LOOK;
  let result: Look = NO_ROUND;
  for (const [at, round] of rounds.entries()) {
    const time = times[at] ?? 0;
    test = nextLook(test, round, { time, alpha: plan.alpha });
    const strata = total(rounds.slice(0, at + 1)).filter(isTested);
    if (strata.length === 0) continue;
    const difference = meanDifference(strata);
    const interval = scoreInterval(strata, zs[at] ?? Infinity);
    const decided = decide({ crossed: test.crossed, interval, margin: plan.margin });
    const isOver = time >= 1 - 1e-9;
    result = {
      ...decided,
      stop: decided.stop || isOver,
      reason: !decided.stop && isOver ? 'most runs' : decided.reason,
      difference,
      spent_alpha: test.spent,
      information: time,
      rounds: at + 1,
    };
    if (result.stop) break;
  }
  return result;
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

function decide({
  crossed,
  interval,
  margin,
}: {
  crossed: 'better' | 'worse' | null;
  interval: Interval;
  margin: number | null;
}): Pick<Look, 'stop' | 'verdict' | 'reason' | 'interval' | 'not_worse'> {
  const isShown = crossed === 'better' ? interval.low > 0 : crossed === 'worse' && interval.high < 0;
  const shown = isShown ? interval : { low: Math.min(0, interval.low), high: Math.max(0, interval.high) };
  const notWorse = margin === null ? null : interval.low > -margin;
  if (crossed !== null && isShown)
    return { stop: true, verdict: crossed, reason: 'difference', interval: shown, not_worse: notWorse };
  if (margin !== null && notWorse === true) {
    const verdict = interval.high < margin ? 'equivalent' : 'not worse';
    return { stop: true, verdict, reason: 'margin', interval: shown, not_worse: notWorse };
  }
  return { stop: false, verdict: 'undecided', reason: 'not clear yet', interval: shown, not_worse: notWorse };
}

/** Returns the share of the most pairs that are in after each round. */
function timesOf(rounds: readonly Round[], most: number): number[] {
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
