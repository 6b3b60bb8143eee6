import { logChoose } from './log-factorial.js';
import { remember } from './remember.js';
import { spend } from './spending.js';

/**
 * The looks at a single configuration so far, whatever its outcomes were: where the test stops depends on the numbers
 * of pairs alone.
 */
export interface Plane {
  pairs: number;
  /**
   * By passes of base times `pairs + 1`, plus passes of head: the probability, at a pass rate of 1/2, of these and no
   * earlier stop.
   */
  surviving: Float64Array;
  /** By pass rate: the probability of a stop by now, without a difference. */
  spent: Float64Array;
  /** Pairs at the first look at which a fixed test could find a difference; null: there was none. */
  first: number | null;
  /** The outcomes at which it stops at this look, numbered as in `surviving`. */
  stops: ReadonlySet<number>;
}

/**
 * Pass rates at which the probability of a stop is limited. Others up to 1 mirror them, and it hardly changes between
 * two of them.
 */
const RATES = Array.from({ length: 40 }, (_, at) => Math.sin((Math.PI / 4) * ((at + 1) / 40)) ** 2);
const TOLERANCE = 1e-9;

const NO_PAIRS: Plane = {
  pairs: 0,
  surviving: Float64Array.of(1),
  spent: new Float64Array(RATES.length),
  first: null,
  stops: new Set(),
};

interface Plan {
  alpha: number;
  /** Pairs at the cap. */
  most: number;
}

/** With more pairs, the planes of all levels take seconds. */
export const MAX_PAIRS = 100;

/** Returns the look after each round, by the number of pairs in each. */
export function planeAfter(rounds: readonly number[], plan: Plan): Plane {
  let plane = NO_PAIRS;
  let key = `${plan.alpha} ${plan.most}`;
  for (const added of rounds) {
    const before = plane;
    key += ` ${added}`;
    plane = planeBy(key, () => nextPlane(before, added, plan));
  }
  return plane;
}

/** Each look of a sweep needs those before it, and so does each level of p. */
const planeBy = remember<Plane>(5000);

/**
 * Returns the next look. Outcomes are taken in the order of the score of the whole table so far, while at no pass rate
 * the probability of a stop is more than allowed; that of Boschloo's test, but for all looks together. Which outcome
 * follows which does not depend on the pass rate, so all probabilities are those at 1/2 times a likelihood ratio.
 * First, all runs of one side against none of the other are allowed as soon as they are in the fixed test.
 */
function nextPlane(before: Plane, added: number, { alpha, most }: Plan): Plane {
  if (added === 0) return { ...before, stops: NO_PAIRS.stops };
  const pairs = before.pairs + added;
  const surviving = afterPairs(before, added);
  const spent = Float64Array.from(before.spent);
  const first = before.first ?? (pairs >= firstDecisive(alpha) ? pairs : null);
  const allowed = RATES.map((rate) => {
    const ofFirst = first === null ? 0 : 2 * (rate * (1 - rate)) ** first;
    return (ofFirst + spend(pairs / most, Math.max(0, alpha - ofFirst))) * (1 + TOLERANCE);
  });
  const stops = new Set<number>();
  const isFull = new Set<number>();
  const likelihoods = new Map<number, number[]>();
  for (const group of inOrder(pairs, surviving)) {
    const passes = group.map(([base, head]) => base + head);
    if (passes.some((passed) => isFull.has(passed))) continue;
    const gained = new Float64Array(RATES.length);
    for (const [at, [base, head]] of group.entries()) {
      const passed = passes[at] ?? 0;
      const ratios = likelihoods.get(passed) ?? RATES.map((rate) => likelihood(rate, passed, 2 * pairs));
      likelihoods.set(passed, ratios);
      const weight = 2 * (surviving[base * (pairs + 1) + head] ?? 0);
      for (let rate = 0; rate < RATES.length; rate++) gained[rate] = (gained[rate] ?? 0) + weight * (ratios[rate] ?? 0);
    }
    if (gained.some((more, rate) => more + (spent[rate] ?? 0) > (allowed[rate] ?? 0))) {
      for (const passed of passes) isFull.add(passed);
      continue;
    }
    for (const [rate, more] of gained.entries()) spent[rate] = (spent[rate] ?? 0) + more;
    for (const [base, head] of group)
      for (const outcome of [base * (pairs + 1) + head, head * (pairs + 1) + base]) {
        stops.add(outcome);
        surviving[outcome] = 0;
      }
  }
  return { pairs, surviving, spent, first, stops };
}

/** The fewest pairs with which the most extreme outcome has a p of at most alpha in a fixed test. */
export const firstDecisive = (alpha: number): number => Math.ceil(Math.log(2 / alpha) / Math.log(4) - TOLERANCE);

const likelihood = (rate: number, passed: number, runs: number): number =>
  Math.exp(passed * Math.log(2 * rate) + (runs - passed) * Math.log(2 * (1 - rate)));

/** Adds pairs of which each run passes with probability 1/2. */
function afterPairs({ pairs, surviving }: Plane, added: number): Float64Array {
  const size = pairs + added + 1;
  const ways = Float64Array.from({ length: added + 1 }, (_, passed) =>
    Math.exp(logChoose(added, passed) - added * Math.LN2),
  );
  const after = new Float64Array(size * size);
  for (let base = 0; base <= pairs; base++)
    for (let head = 0; head <= pairs; head++) {
      const weight = surviving[base * (pairs + 1) + head] ?? 0;
      if (weight === 0) continue;
      for (let more = 0; more <= added; more++)
        for (let others = 0; others <= added; others++) {
          const at = (base + more) * size + head + others;
          after[at] = (after[at] ?? 0) + weight * (ways[more] ?? 0) * (ways[others] ?? 0);
        }
    }
  return after;
}

/**
 * Possible outcomes in which head passes more often, those with the largest score first; with equal ones in a group.
 */
function inOrder(pairs: number, surviving: Float64Array): [base: number, head: number][][] {
  const found: { score: number; outcome: [number, number] }[] = [];
  for (let base = 0; base <= pairs; base++)
    for (let head = base + 1; head <= pairs; head++) {
      if (surviving[base * (pairs + 1) + head] === 0) continue;
      const passed = base + head;
      found.push({ score: (head - base) / Math.sqrt(passed * (2 * pairs - passed)), outcome: [base, head] });
    }
  found.sort((a, b) => b.score - a.score);
  const groups: [number, number][][] = [];
  let last = Infinity;
  for (const { score, outcome } of found) {
    if (last - score > TOLERANCE) {
      groups.push([]);
      last = score;
    }
    groups.at(-1)?.push(outcome);
  }
  return groups;
}
