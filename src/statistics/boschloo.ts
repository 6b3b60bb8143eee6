import { type Count, type Stratum, sum } from './counts.js';
import { logChoose } from './log-factorial.js';
import { remember } from './remember.js';
import { passesOfHead, tailsOf, type Tails } from './distribution.js';

/** A p below this is not computed exactly: improbable outcomes are left out of the distribution. */
export const SMALLEST_P = 1e-50;

/**
 * Two-sided conditional mid-p of whether runs of head pass as often as runs of base: twice the smaller tail of the
 * passes in head, given the passes of both sides together in each stratum, where the observed number counts half.
 * Without that half it is an exact test, which is valid but has little power with few runs. H. O. Lancaster,
 * "Significance tests in discrete distributions", JASA 56 (1961) 223-234; K. F. Hirji, "Exact Analysis of Discrete
 * Data" (2006), chapters 7 and 8.
 */
export const midP = (strata: readonly Stratum[]): number =>
  midPOfTails(
    tailsOf(
      passesOfHead(strata),
      sum(strata, ({ head }) => head.passed),
    ),
  );

export const midPOfTails = ({ below, at, above }: Tails): number =>
  Math.max(SMALLEST_P, Math.min(1, 2 * (Math.min(below, above) + at / 2)));

/** Rounding errors must not make equally probable tables differ. */
const TOLERANCE = 1e-7;
const GRID = 100;

/**
 * Two-sided unconditional exact test of one configuration. The statistic is the smaller one-sided p of Fisher's test.
 * Its p is the largest probability, over all pass rates that both sides may have in common, of a statistic at most as
 * large as the observed one. It is valid and has more power than Fisher's test. R. D. Boschloo, "Raised conditional
 * level of significance for the 2 x 2-table when testing the equality of two probabilities", Statistica Neerlandica 24
 * (1970) 1-9.
 */
export const boschloo = (stratum: Stratum): number => known(countsOf(stratum), () => computeBoschloo(stratum));

/** The same few counts are tested often, such as all runs passed. */
const known = remember<number>(5000);
const countsOf = ({ base, head }: Stratum): string => `${base.passed} ${base.tested} ${head.passed} ${head.tested}`;

function computeBoschloo({ base, head }: Stratum): number {
  const statistic = Math.min(fisher(base, head), fisher(head, base));
  if (statistic >= 0.5) return 1;
  const most = statistic * (1 + TOLERANCE);
  const better = regionOf(base.tested, head.tested, most);
  const worse = regionOf(head.tested, base.tested, most);
  const [choicesOfBase, choicesOfHead] = [logChoices(base.tested), logChoices(head.tested)];
  const probability = (share: number): number => {
    const [ofBase, ofHead] = [binomial(choicesOfBase, share), binomial(choicesOfHead, share)];
    return massOf(better, ofBase, ofHead) + massOf(worse, ofHead, ofBase);
  };
  return Math.max(SMALLEST_P, Math.min(1, maximum(probability)));
}

/** One-sided p of Fisher's test: the probability of at least as many passes in `more`, given all passes. */
function fisher(fewer: Count, more: Count): number {
  const passed = fewer.passed + more.passed;
  const last = Math.min(passed, more.tested);
  let term = Math.exp(
    logChoose(more.tested, more.passed) +
      logChoose(fewer.tested, fewer.passed) -
      logChoose(more.tested + fewer.tested, passed),
  );
  let total = term;
  for (let x = more.passed; x < last; x++) {
    term *= ((more.tested - x) * (passed - x)) / ((x + 1) * (fewer.tested - passed + x + 1));
    total += term;
    if (term < 1e-17 * total && x > (more.tested * passed) / (more.tested + fewer.tested)) break;
  }
  return total;
}

/**
 * Returns, for each number of passes in `more`, the largest number of passes in `fewer` at which the one-sided p is at
 * most `most`; -1: none. It does not fall as passes in `more` rise, so one walk along the border finds all.
 */
function regionOf(fewer: number, more: number, most: number): Int32Array {
  const region = new Int32Array(more + 1).fill(-1);
  let border = fewer;
  for (let passed = more; passed >= 0 && border >= 0; passed--) {
    while (border >= 0 && fisher({ passed: border, tested: fewer }, { passed, tested: more }) > most) border -= 1;
    region[passed] = border;
  }
  return region;
}

function massOf(region: Int32Array, fewer: Float64Array, more: Float64Array): number {
  let [mass, below, next] = [0, 0, 0];
  for (let passed = 0; passed < region.length; passed++) {
    for (; next <= (region[passed] ?? -1); next++) below += fewer[next] ?? 0;
    mass += (more[passed] ?? 0) * below;
  }
  return mass;
}

const logChoices = (runs: number): Float64Array =>
  Float64Array.from({ length: runs + 1 }, (_, passed) => logChoose(runs, passed));

function binomial(choices: Float64Array, share: number): Float64Array {
  const runs = choices.length - 1;
  const [yes, no] = [Math.log(share), Math.log1p(-share)];
  const probabilities = new Float64Array(choices.length);
  for (let passed = 0; passed <= runs; passed++)
    probabilities[passed] = Math.exp((choices[passed] ?? 0) + passed * yes + (runs - passed) * no);
  return probabilities;
}

/**
 * Returns the maximum over (0, 1): the best point of a grid that is denser at the ends, improved between its
 * neighbours.
 */
function maximum(of: (share: number) => number): number {
  const share = (at: number): number => Math.sin((Math.PI / 2) * (at / GRID)) ** 2;
  let [best, bestAt] = [0, 1];
  for (let at = 1; at < GRID; at++) {
    const value = of(share(at));
    if (value > best) [best, bestAt] = [value, at];
  }
  let [low, high] = [bestAt - 1, bestAt + 1];
  for (let step = 0; step < 20; step++) {
    const [left, right] = [low + (high - low) * 0.382, low + (high - low) * 0.618];
    const [ofLeft, ofRight] = [of(share(left)), of(share(right))];
    best = Math.max(best, ofLeft, ofRight);
    if (ofLeft > ofRight) high = right;
    else low = left;
  }
  return best;
}
