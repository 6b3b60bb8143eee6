import { sum, type Interval } from './counts.js';
import { drawExchanges, type Exchanges, type Group } from './exchanges.js';
import { logChoose } from './log-factorial.js';

export interface MeanChange {
  /** The mean of each side: that of the groups' means, each with the same weight. */
  base: number;
  head: number;
  /** Head divided by base, or minus base. */
  value: number;
  /** Null, as p: no outcome of so few runs could show a change. */
  interval: Interval | null;
  p: number | null;
}

interface Options {
  kind: 'ratio' | 'difference';
  alpha: number;
}

/** With more, p changes by less than it does from one sample to another. */
const DRAWS = 1000;
/** Rounding errors must not make equal changes differ. */
const TOLERANCE = 1e-9;

/**
 * Returns by which factor or amount the mean is higher in head, with the interval and the two-sided p of a permutation
 * test; null if no group has values on both sides, or a mean that is to be divided is not above 0. If a change
 * multiplies all values, or adds to them, the runs of both sides are exchangeable once it is undone. So the test is
 * exact for any numbers of runs and however heavy the tails are. What it tests is the change of the means itself, and
 * the interval holds all changes that it does not reject. E. J. G. Pitman, "Significance tests which may be applied to
 * samples from any populations", Supplement to the JRSS 4 (1937) 119-130.
 */
export function meanChange(groups: readonly Group[], { kind, alpha }: Options): MeanChange | null {
  const compared = groups.filter(({ base, head }) => base.length > 0 && head.length > 0);
  if (compared.length === 0) return null;
  const mean = (side: keyof Group): number => sum(compared, (group) => meanOf(group[side])) / compared.length;
  const [base, head] = [mean('base'), mean('head')];
  if (kind === 'ratio' && !(base > 0 && head > 0)) return null;
  const means = { base, head, value: kind === 'ratio' ? head / base : head - base };
  if (smallestP(compared) > alpha * (1 + TOLERANCE)) return { ...means, interval: null, p: null };
  return { ...means, ...testOf(drawExchanges(compared, DRAWS), { kind, alpha }) };
}

/**
 * With a change undone, an exchange has a certain change of means itself. It is as large as the observed one up to a
 * certain undone change, and as small from there on. These limits of all exchanges are enough to know p of every
 * change.
 */
function testOf(exchanges: Exchanges, { kind, alpha }: Options): Required<Pick<MeanChange, 'p' | 'interval'>> {
  const unchanged = kind === 'ratio' ? 1 : 0;
  const limitOf = kind === 'ratio' ? factorLimit : amountLimit;
  const all = exchanges.moved.length;
  const limits = new Float64Array(all);
  // Where nothing is exchanged, the change of means is the observed one.
  let same = 0;
  for (let at = 0; at < all; at++) {
    const limit = limitOf(exchanges, at);
    if (limit === null) same += 1;
    else limits[at - same] = Math.abs(limit - unchanged) < TOLERANCE ? unchanged : limit;
  }
  const sorted = limits.subarray(0, all - same).sort();
  const low = same + sorted.filter((limit) => limit <= unchanged).length;
  const high = same + sorted.filter((limit) => limit >= unchanged).length;
  const cut = Math.max(0, Math.floor((alpha / 2) * all * (1 + TOLERANCE)) - same);
  return {
    p: Math.min(1, (2 * Math.min(low, high)) / all),
    interval: { low: sorted[cut] ?? NaN, high: sorted.at(-1 - cut) ?? NaN },
  };
}

/**
 * The factor at which the means of an exchange have the observed ratio: the only positive root of a quadratic equation.
 */
function factorLimit({ base, head }: Exchanges, at: number): number | null {
  const allBase = base.base[0] ?? NaN;
  const allHead = head.head[0] ?? NaN;
  const share = (numbers: Float64Array, of: number): number => {
    const found = (numbers[at] ?? NaN) / of;
    return Math.abs(found) < 1e-12 ? 0 : found;
  };
  // In units of the observed means, whose ratio is then 1.
  const square = share(head.base, allBase);
  const linear = share(head.head, allHead) - share(base.base, allBase);
  const constant = share(base.head, allHead);
  if (square === 0 && constant === 0) return null;
  const root = Math.sqrt(linear ** 2 + 4 * square * constant);
  const factor = linear > 0 ? (2 * constant) / (linear + root) : (root - linear) / (2 * square);
  return (factor * allHead) / allBase;
}

/** The amount at which the means of an exchange differ as the observed ones do. */
function amountLimit({ base, head, moved }: Exchanges, at: number): number | null {
  const of = (index: number): number =>
    (head.head[index] ?? NaN) + (head.base[index] ?? NaN) - (base.head[index] ?? NaN) - (base.base[index] ?? NaN);
  const weight = moved[at] ?? NaN;
  return weight === 0 ? null : (of(0) - of(at)) / weight;
}

/**
 * The smallest p of any outcome: that of values which all differ, where each exchange brings the sides nearer to each
 * other.
 */
const smallestP = (groups: readonly Group[]): number =>
  2 * Math.exp(-sum(groups, ({ base, head }) => logChoose(base.length + head.length, head.length)));

/**
 * The sum of equal values, divided by their number, can differ from them in the last digit, which would look like a
 * change.
 */
const meanOf = (values: readonly number[]): number => {
  const [first = NaN] = values;
  return values.every((value) => value === first) ? first : sum(values, (value) => value) / values.length;
};
