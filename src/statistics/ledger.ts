import type { Stratum } from './counts.js';
import { normalTail } from './normal.js';
import { boundariesOf } from './spending.js';

/** Most questions are looked at once, so the first look has most of alpha. */
const OF_FIRST = 0.8;

/** Shorter steps would need a finer integral. A longer one makes a level lower, never higher. */
const SHORTEST_STEP = 0.02;

/** One look at a question, with the level of its tests, and what of alpha may be spent once it is over. */
export interface LedgerLook {
  level: number;
  spent: number;
}

/**
 * Returns the level of each look at a question whose runs become more and more. Alpha is spent by information, as alpha
 * (1 - 0.2 first / information): 80 % by the first look, 90 % once there are twice as many runs, and never more than
 * all of it, however many looks there are. Each level takes into account that a look shares the runs of those before
 * it: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983)
 * 659-663. `informations`: those of the looks.
 */
export function ledgerOf(informations: readonly number[], alpha: number): LedgerLook[] {
  const first = informations[0] ?? 0;
  let [time, spent] = [0, 0];
  const looks = informations.map((information) => {
    time = Math.max(information / first, time * (1 + SHORTEST_STEP));
    spent = Math.max(spent, alpha * (1 - ((1 - OF_FIRST) * first) / information));
    return { time, spent };
  });
  return boundariesOf(looks).map((z, at) => ({
    level: rounded(2 * normalTail(z)),
    spent: rounded(looks[at]?.spent ?? 0),
  }));
}

/**
 * Returns the last of so many looks that repeat runs in place of sharing them. Each may only have what alpha allows in
 * addition, if each looks at as many runs: then all levels together are at most alpha, whatever the looks share.
 */
export function ledgerOfRepeats(looks: number, alpha: number): LedgerLook {
  const spentBy = (number: number): number => (number === 0 ? 0 : alpha * (1 - (1 - OF_FIRST) / number));
  const spent = spentBy(looks);
  return { level: rounded(spent - spentBy(looks - 1)), spent: rounded(spent) };
}

/** Returns the level of a first look. */
export const firstLevel = (alpha: number): number => rounded(OF_FIRST * alpha);

const rounded = (level: number): number => Number(level.toPrecision(4));

/**
 * Returns how much these runs say about the difference: its inverse variance, but for a factor. It grows with each run.
 */
export const informationIn = (strata: readonly Stratum[]): number =>
  strata.reduce((all, { base, head }) => {
    const runs = base.tested + head.tested;
    return runs === 0 ? all : all + (base.tested * head.tested) / runs;
  }, 0);
