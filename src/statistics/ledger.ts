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
function ledgerOfRepeats(looks: number, alpha: number): LedgerLook {
  const spentBy = (number: number): number => (number === 0 ? 0 : alpha * (1 - (1 - OF_FIRST) / number));
  const spent = spentBy(looks);
  return { level: rounded(spent - spentBy(looks - 1)), spent: rounded(spent) };
}

/**
 * All that a question may spend, as a multiple of alpha: so that a sequential test, whose first start takes all of
 * alpha, leaves something to those after it.
 */
export const POOL = 1.1;

/** The alpha of a question, and what has drawn on it so far. */
export interface Account {
  alpha: number;
  /** By sequential tests, and by the looks before the last of them. */
  spent: number;
  /** The informations of the looks since then. */
  looks: readonly number[];
  /** True if the looks repeat runs in place of sharing them. */
  isRepeated: boolean;
}

/** Returns the alpha that is left for a sequential test that starts now: never more than is left of the pool. */
export const leftOf = (account: Account): number => leftAfter(spentOf(account), account.alpha);

const leftAfter = (spent: number, alpha: number): number => rounded(Math.max(0, alpha - spent / POOL));

/** Returns the alpha that all looks and starts so far may spend: at most 1.1 alpha, in whatever order they are. */
export const spentOf = (account: Account): number => account.spent + lookIn(account, account.looks).spent;

/** A sequential test takes all of its alpha at its start: an early stop may be because of what it has seen. */
export const afterStart = (account: Account, alpha: number): Account => ({
  ...account,
  spent: spentOf(account) + alpha,
  looks: [],
});

/** The last of these looks since the last start. They share what was left then as those of a new question do. */
export function lookIn({ alpha, spent, isRepeated }: Account, looks: readonly number[]): LedgerLook {
  const left = leftAfter(spent, alpha);
  if (looks.length === 0) return { level: firstLevel(left), spent: 0 };
  return (isRepeated ? ledgerOfRepeats(looks.length, left) : ledgerOf(looks, left).at(-1)) ?? { level: 0, spent: left };
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
