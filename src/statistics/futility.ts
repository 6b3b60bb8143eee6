import { isTested } from './counts.js';
import { timesOf, total, type Round } from './look.js';
import { scoreOf } from './miettinen-nurminen.js';
import { bothSides, meanVariance } from './needed-runs.js';
import { normalTail } from './normal.js';
import { boundaries } from './spending.js';

/** A sequential test that looks for a difference of at least `effect`, from 0 to 1, with `most` pairs of runs at the cap. */
export interface EffectPlan {
  effect: number;
  alpha: number;
  most: number;
}

/** A sweep is given up when it would find the effect with less than this probability. */
const FUTILE = 0.2;

/**
 * Returns the probability that the test still finds a difference, if head is better or worse by the effect from now on, whichever is more
 * likely to be found. A stop because of it makes a false "better" or "worse" only less likely, so it needs no correction. By the B-value:
 * K. K. G. Lan and J. Wittes, "The B-value: a tool for monitoring data", Biometrics 44 (1988) 579-585.
 */
export function conditionalPower(rounds: readonly Round[], { effect, alpha, most }: EffectPlan): number {
  const times = timesOf(rounds, most);
  const time = times.at(-1) ?? 0;
  const strata = total(rounds).filter(isTested);
  if (strata.length === 0 || time >= 1) return 1;
  const drift = effect / Math.sqrt((2 * meanVariance(strata.map(bothSides), effect)) / most);
  const end = boundaries([...times, 1], alpha).at(-1) ?? Infinity;
  const sofar = Math.abs(scoreOf(strata, 0)) * Math.sqrt(time);
  return normalTail((end - sofar - drift * (1 - time)) / Math.sqrt(1 - time));
}

/** Returns after how many rounds the effect was unlikely to be found any more; null: after none. */
export function futileAfter(rounds: readonly Round[], plan: EffectPlan): number | null {
  const at = rounds.findIndex((_, last) => conditionalPower(rounds.slice(0, last + 1), plan) < FUTILE);
  return at === -1 ? null : at + 1;
}
