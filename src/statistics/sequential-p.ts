import { isTested } from './counts.js';
import { directionOf } from './direction.js';
import { total, type LookPlan, type Round } from './look.js';
import { lookAt, NO_LOOK, passesIn, type RoundPasses } from './sequential-test.js';

/** By which factor a level is smaller than the one that was tried before: p is rounded up by at most 5 %. */
const FINER = 0.95;
/** No smaller p is told apart. */
const SMALLEST_P = 1e-6;

/**
 * Returns the p value of the sequential test: the level above which it would have found the difference by now, between
 * 0.000001 and 1. Whenever and why ever the sweep stops, the chance of a p of at most u is at most u without a difference.
 * It is at most `alpha` exactly if `look` says better or worse. C. Jennison and B. W. Turnbull, "Group Sequential Methods
 * with Applications to Clinical Trials" (2000), section 9.5. With counts, a test can find at one level what it misses at a
 * higher one, so p is the highest level that misses the difference.
 */
export function sequentialP(
  rounds: readonly Round[],
  { alpha, most }: Pick<LookPlan, 'alpha' | 'most'>,
): number {
  const looks = rounds.map((round, at) => ({
    ...passesIn(round),
    direction: directionOf(total(rounds.slice(0, at + 1)).filter(isTested)),
  }));
  // Levels around alpha, which is one of them.
  const levelAt = (step: number): number => alpha * FINER ** step;
  let step = Math.ceil(Math.log(alpha) / -Math.log(FINER));
  while (levelAt(step) >= SMALLEST_P && finds(looks, { alpha: levelAt(step), most })) step += 1;
  const p = Math.min(1, levelAt(step - 1));
  return finds(looks, { alpha, most }) ? Math.min(p, alpha) : p;
}

type DirectedLook = RoundPasses & { direction: 'better' | 'worse' | null };

/** Whether the test of this level stops at one of the looks. */
function finds(looks: readonly DirectedLook[], plan: { alpha: number; most: number }): boolean {
  let test = NO_LOOK;
  return looks.some((round) => {
    test = lookAt(test, round, plan);
    return test.crossed !== null && test.crossed === round.direction;
  });
}
